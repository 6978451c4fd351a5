import type { Dataset } from '../datasets.js'
import { hintOf, messageOf, phrase } from '../phrases/index.js'
import type { WorkflowIssue } from '../workflow/issue.js'
import type { ValueType } from './ports.js'

/** Facts about a value before it exists. An absent member is unknown. */
export interface ValueDescription {
  readonly type: ValueType
  readonly kind?: string
  /** Facets of a sample table: images, table columns for the model, and labels. */
  readonly images?: boolean
  readonly table?: boolean
  readonly labels?: boolean
  readonly columns?: readonly string[]
  /** null: the label is a number. */
  readonly classes?: readonly string[] | null
  readonly cases?: number
  /** Shape of an array; null: the size of this dimension is unknown. */
  readonly shape?: readonly (number | null)[]
  /** Settings of upstream nodes, by dotted key. */
  readonly settings?: Readonly<Record<string, PlacedSetting>>
}

/** One value of the training configuration and the node field from which it comes. */
export interface NodeSetting {
  readonly field: string
  readonly value: unknown
  /** Value if no node sets it. */
  readonly default: unknown
  /** Affects only cases on which a model is fitted: branches to which it is applied may have other values. */
  readonly fit_only: boolean
}

/** A setting, and the node that made it. */
export interface PlacedSetting extends NodeSetting {
  readonly node: string
}

/** Input port → description of the arriving value; the parts that a port joins are merged. */
export type ArrivingDescriptions = Readonly<Record<string, ValueDescription>>

/** Members that replace those carried over from an input; undefined: unknown from here on. */
export type OutputFacts = {
  readonly [K in Exclude<keyof ValueDescription, 'type' | 'kind'>]?: ValueDescription[K] | undefined
}

/** The caller's knowledge of external data. */
export interface OutsideKnowledge {
  /** Registered datasets by identifier. */
  readonly datasets?: ReadonlyMap<string, Dataset>
}

export interface InferenceInput {
  /** Identifier of the node. */
  readonly node: string
  /** Complete configuration. */
  readonly config: Readonly<Record<string, unknown>>
  readonly inputs: ArrivingDescriptions
  /** Settings made by the node itself. */
  readonly settings: Readonly<Record<string, PlacedSetting>>
  readonly outside: OutsideKnowledge
}

/** An issue refers to the node itself unless it names another one. */
export type InferredIssue = Omit<WorkflowIssue, 'path'> & { readonly path?: string }

export interface Inference {
  /** Output port → facts beyond its type and the carried-over members. */
  readonly outputs?: Readonly<Record<string, OutputFacts>>
  readonly issues?: readonly InferredIssue[]
}

/** Facts about a node's outputs and problems of its inputs before it runs. A pure function. */
export type InferOutputs = (input: InferenceInput) => Inference

/** For nodes whose outputs are fully described by their types and the carried-over members. */
export const inferNothing: InferOutputs = () => ({})

/** Issue of an input whose cases are known to lack a facet; none if that is unknown. */
export function missingFacet(
  inputs: ArrivingDescriptions,
  port: string,
  facet: 'images' | 'table',
): InferredIssue[] {
  if (inputs[port]?.[facet] !== false) return []
  return [
    {
      severity: 'error',
      code: 'FACET_MISSING',
      ...messageOf(phrase(facet === 'images' ? 'input_without_images' : 'input_without_table', { port })),
      port,
      ...hintOf(phrase('connect_dataset')),
    },
  ]
}
