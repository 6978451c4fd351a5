import type { NODES, NodeConfig, NodeType } from '@medloom/contracts'
import type { FieldPath } from '../keys'

type PortName<T extends NodeType, Side extends 'inputs' | 'outputs'> = (typeof NODES)[T][Side][number]['name']

/** Translation of a node. A port or field without a text is a type error. */
export interface NodeWords<T extends NodeType = NodeType> {
  readonly title: string
  readonly summary: string
  readonly inputs: Readonly<Record<PortName<T, 'inputs'>, string>>
  readonly outputs: Readonly<Record<PortName<T, 'outputs'>, string>>
  /** Title and help of each config field. */
  readonly config: Readonly<Record<FieldPath<NodeConfig<T>>, readonly [title: string, help: string]>>
}

export type CatalogWords = { readonly [T in NodeType]: NodeWords<T> }
