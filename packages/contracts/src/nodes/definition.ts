import type { z } from 'zod'
import type { ImplicitInput } from './implicit-inputs.js'
import type { InferOutputs } from './inference.js'
import type { Lineage } from './lineage.js'
import type { InputPort, OutputPort } from './ports.js'
import type { SoftwareGroup } from './software.js'

export const NODE_GROUPS = [
  'Data source',
  'Preprocessing',
  'Model',
  'Training',
  'Evaluation',
  'Output',
  'Utility',
] as const
export type NodeGroup = (typeof NODE_GROUPS)[number]

/** service: in the service itself, at once · worker: in a warm Python worker · job: as a training job with its own process. */
export const NODE_PLACES = ['service', 'worker', 'job'] as const
export type NodePlace = (typeof NODE_PLACES)[number]

/** The resource that a running node holds one unit of. */
export const RESOURCES = ['cpu', 'gpu', 'io'] as const
export type Resource = (typeof RESOURCES)[number]

/** The file of a custom node. */
export interface NodeSource {
  /** Its name in the folder of custom nodes. */
  readonly file: string
  readonly sha256: string
}

/**
 * One entry of the catalog: all that the engine, the editor and the documents need to know of a node. The key under which it stands is
 * its type.
 */
export interface NodeDefinition {
  readonly group: NodeGroup
  readonly title: string
  /** One sentence: what the node does. */
  readonly summary: string
  readonly runs: NodePlace
  readonly resource: Resource
  /** Raised whenever the same inputs may give another result than before; part of the cache key. */
  readonly version: number
  /** Of a custom node: its file, whose content is part of the cache key too. */
  readonly source?: NodeSource
  /** The software whose versions may change the result, and are part of the cache key too; absent where the service computes it. */
  readonly software?: SoftwareGroup
  /** What it shows beside its inputs; part of the cache key. */
  readonly implicit_inputs?: readonly ImplicitInput[]
  readonly inputs: readonly InputPort[]
  readonly outputs: readonly OutputPort[]
  readonly config: z.ZodObject
  /** Where the cases of its outputs come from, and what is fitted, applied and evaluated; NO_CASES where no cases pass through. */
  readonly lineage: Lineage
  /** What is known of its outputs before it runs; `inferNothing` where their types say it all. */
  readonly infer: InferOutputs
}

/** What is known of a field beside its schema. */
export interface FieldFacts {
  readonly title: string
  /** One sentence of help. */
  readonly description: string
  /** The key of the training configuration that means the same thing, or the part of its value (data.augmentation.methods). */
  readonly training_key?: string
  /** Value written here → value of the training configuration, where they are written differently. */
  readonly training_values?: Readonly<Record<string, string>>
  /**
   * Names something outside the workflow whose content belongs to the cache key: a file or folder · a file with a table, and the images
   * that it names beside it · a registered dataset.
   */
  readonly reads?: 'path' | 'table' | 'dataset'
  /** Names a place the node writes to, below the output folder. */
  readonly writes?: 'path'
  /** The file among the artifacts that is written where no path is named; absent: every node has one of its own. */
  readonly writes_unnamed?: string
  /** Only cases that a model is fitted on are affected: branches that it is applied to may say something else. */
  readonly fit_only?: true
  /** Behaviour of nodes before the field existed, where its default is another. */
  readonly before_it_existed?: unknown
  /** False: changing it never changes the result, so it is no part of the cache key. */
  readonly affects_result?: false
  /** Values to offer where the schema accepts more than it can list. */
  readonly options?: readonly string[]
}

/** A schema with its facts. */
export function field<S extends z.ZodType>(schema: S, facts: FieldFacts): S {
  return schema.meta({ ...facts })
}

/** The facts of a field, read back from its schema. */
export function factsOf(schema: unknown): Partial<FieldFacts> {
  return ((schema as z.ZodType).meta?.() ?? {}) as Partial<FieldFacts>
}
