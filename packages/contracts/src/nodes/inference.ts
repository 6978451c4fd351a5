import type { Dataset } from '../datasets.js'
import type { WorkflowIssue } from '../workflow/issue.js'
import type { ValueType } from './ports.js'

/** What is known of a value before it exists. A member that is absent is not known. */
export interface ValueDescription {
  readonly type: ValueType
  readonly kind?: string
  /** The facets of a sample table: whether its cases have images, table columns to learn from, and labels. */
  readonly images?: boolean
  readonly table?: boolean
  readonly labels?: boolean
  readonly columns?: readonly string[]
  /** null: the label is a number. */
  readonly classes?: readonly string[] | null
  readonly cases?: number
  /** Of an array; null: a side that is not known. */
  readonly shape?: readonly (number | null)[]
  /** Settings that nodes above have made, by dotted key. */
  readonly settings?: Readonly<Record<string, PlacedSetting>>
}

/** One value of the training configuration and the node field that it comes from. */
export interface NodeSetting {
  readonly field: string
  readonly value: unknown
  /** What the value is where no node sets it. */
  readonly default: unknown
  /** Only cases that a model is fitted on are affected: branches that it is applied to may say something else. */
  readonly fit_only: boolean
}

/** A setting, and the node that made it. */
export interface PlacedSetting extends NodeSetting {
  readonly node: string
}

/** Input port → what arrives there; parts that a port joins are joined. */
export type ArrivingDescriptions = Readonly<Record<string, ValueDescription>>

/** Members that replace what an output carries over; undefined: not known any more. */
export type OutputFacts = {
  readonly [K in Exclude<keyof ValueDescription, 'type' | 'kind'>]?: ValueDescription[K] | undefined
}

/** What the caller knows of things outside the workflow. */
export interface OutsideKnowledge {
  /** Registered data sets by identifier. */
  readonly datasets?: ReadonlyMap<string, Dataset>
}

export interface InferenceInput {
  /** Identifier of the node. */
  readonly node: string
  /** The complete config. */
  readonly config: Readonly<Record<string, unknown>>
  readonly inputs: ArrivingDescriptions
  /** The settings that the node itself makes. */
  readonly settings: Readonly<Record<string, PlacedSetting>>
  readonly outside: OutsideKnowledge
}

/** An issue stands at the node itself unless it names another one. */
export type InferredIssue = Omit<WorkflowIssue, 'path'> & { readonly path?: string }

export interface Inference {
  /** Output port → what is known of it beyond its type and what it carries over. */
  readonly outputs?: Readonly<Record<string, OutputFacts>>
  readonly issues?: readonly InferredIssue[]
}

/** What a node knows of its outputs, and what is wrong with its inputs, before it runs. A pure function. */
export type InferOutputs = (input: InferenceInput) => Inference

/** Of a node whose outputs are known by their types and what they carry over. */
export const inferNothing: InferOutputs = () => ({})

/** The issue of an input whose cases are known to lack a facet; none where that is not known. */
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
      message: `input ${port} has no ${facet}`,
      port,
      hint: 'Connect LoadDataset, or what it feeds.',
    },
  ]
}
