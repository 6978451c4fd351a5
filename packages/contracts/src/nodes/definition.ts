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

/** service: immediately, in the service itself · worker: in a warm Python worker · job: as a training job with its own process. */
export const NODE_PLACES = ['service', 'worker', 'job'] as const
export type NodePlace = (typeof NODE_PLACES)[number]

/** Resource of which a running node occupies one unit. */
export const RESOURCES = ['cpu', 'gpu', 'io'] as const
export type Resource = (typeof RESOURCES)[number]

/** File of a custom node. */
export interface NodeSource {
  /** File name in the folder of custom nodes. */
  readonly file: string
  readonly sha256: string
}

/**
 * One entry of the catalog: everything that the engine, the editor and the documents need to know about a node. Its key in the catalog is its
 * type.
 */
export interface NodeDefinition {
  readonly group: NodeGroup
  readonly title: string
  /** One sentence that describes the node. */
  readonly summary: string
  readonly runs: NodePlace
  readonly resource: Resource
  /** Increased whenever the same inputs may produce another result than before; part of the cache key. */
  readonly version: number
  /** File of a custom node; its content is part of the cache key too. */
  readonly source?: NodeSource
  /** Software whose versions may change the result and are part of the cache key too; absent if the service computes the result. */
  readonly software?: SoftwareGroup
  /** Information that the node shows in addition to its inputs; part of the cache key. */
  readonly implicit_inputs?: readonly ImplicitInput[]
  readonly inputs: readonly InputPort[]
  readonly outputs: readonly OutputPort[]
  readonly config: z.ZodObject
  /** Origin of the cases of its outputs, and what is fitted, applied and evaluated; NO_CASES if no cases pass through. */
  readonly lineage: Lineage
  /** Inferred facts about its outputs before it runs; `inferNothing` if their types are sufficient. */
  readonly infer: InferOutputs
}

/** Metadata of a field in addition to its schema. */
export interface FieldFacts {
  readonly title: string
  /** One sentence of help. */
  readonly description: string
  /** Corresponding key of the training configuration, or part of its value (data.augmentation.methods). */
  readonly training_key?: string
  /** Node value → value of the training configuration, if they differ. */
  readonly training_values?: Readonly<Record<string, string>>
  /**
   * The field names external content that belongs to the cache key. path: a file or folder. table: a file with a table, and the images that it
   * names. dataset: a registered dataset. model: a registered model.
   */
  readonly reads?: 'path' | 'table' | 'dataset' | 'model'
  /** The field names a location for output, below the output folder. */
  readonly writes?: 'path'
  /** Artifact file that is written if no path is given; absent: every node has its own file. */
  readonly writes_unnamed?: string
  /** Affects only cases on which a model is fitted: branches to which it is applied may have other values. */
  readonly fit_only?: true
  /** Behavior of nodes before the field existed, if the default differs from it. */
  readonly before_it_existed?: unknown
  /** False: a change never changes the result, so the field is not part of the cache key. */
  readonly affects_result?: false
  /** Values to offer where the schema accepts more than it can list. */
  readonly options?: readonly string[]
}

/** Attaches metadata to a schema. */
export function field<S extends z.ZodType>(schema: S, facts: FieldFacts): S {
  return schema.meta({ ...facts })
}

/** Reads the metadata of a field from its schema. */
export function factsOf(schema: unknown): Partial<FieldFacts> {
  return ((schema as z.ZodType).meta?.() ?? {}) as Partial<FieldFacts>
}
