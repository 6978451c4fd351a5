import type { NODES, NodeConfig, NodeType } from '@medloom/contracts'
import type { FieldPath } from '../keys'

type PortName<T extends NodeType, Side extends 'inputs' | 'outputs'> = (typeof NODES)[T][Side][number]['name']

/** What the catalog says of a node in English, in another language. A port or field without words fails the compilation. */
export interface NodeWords<T extends NodeType = NodeType> {
  readonly title: string
  readonly summary: string
  readonly inputs: Readonly<Record<PortName<T, 'inputs'>, string>>
  readonly outputs: Readonly<Record<PortName<T, 'outputs'>, string>>
  /** Field of the config → its name for people, and what it means. */
  readonly config: Readonly<Record<FieldPath<NodeConfig<T>>, readonly [title: string, help: string]>>
}

export type CatalogWords = { readonly [T in NodeType]: NodeWords<T> }
