import type { z } from 'zod'
import type { NodeDefinition } from './definition.js'
import { DATA_SOURCE_NODES } from './groups/data-source.js'
import { EVALUATION_NODES } from './groups/evaluation.js'
import { MODEL_NODES } from './groups/model.js'
import { OUTPUT_NODES } from './groups/output.js'
import { PREPROCESSING_NODES } from './groups/preprocessing.js'
import { TRAINING_NODES } from './groups/training.js'
import { UTILITY_NODES } from './groups/utility.js'
import type { LineageRelation } from './lineage.js'

export * from './catalog.js'
export * from './custom.js'
export * from './custom-template.js'
export * from './definition.js'
export { EVALUATION_METRICS, PLOT_TYPES, REPORT_SECTIONS } from './groups/evaluation.js'
export { WORKFLOW_FILE } from './groups/output.js'
export * from './implicit-inputs.js'
export * from './inference.js'
export * from './lineage.js'
export * from './ports.js'
export { assembled, declaredSettings } from './settings.js'
export * from './software.js'
export * from './values.js'

const DEFINITIONS = {
  ...DATA_SOURCE_NODES,
  ...PREPROCESSING_NODES,
  ...MODEL_NODES,
  ...TRAINING_NODES,
  ...EVALUATION_NODES,
  ...OUTPUT_NODES,
  ...UTILITY_NODES,
} as const satisfies Record<string, NodeDefinition>

/** Relations that a definition can declare: those between its own ports and fields. */
type LineageOf<D extends NodeDefinition> = readonly LineageRelation<
  D['inputs'][number]['name'],
  D['outputs'][number]['name'],
  keyof D['config']['shape'] & string
>[]

/** The catalog: every node that a workflow may contain. */
export const NODES = DEFINITIONS satisfies {
  readonly [T in keyof typeof DEFINITIONS]: { readonly lineage: LineageOf<(typeof DEFINITIONS)[T]> }
}

export type NodeType = keyof typeof NODES
/** A catalog as the engine reads it; NODES is that of the service. */
export type Catalog = Readonly<Record<string, NodeDefinition>>

/** Complete configuration of a node with defaults. */
export type NodeConfig<T extends NodeType> = z.output<(typeof NODES)[T]['config']>
/** Output ports of a node. */
export type NodeOutputs<T extends NodeType> = (typeof NODES)[T]['outputs'][number]['name']

export function isNodeType(type: string): type is NodeType {
  return Object.hasOwn(NODES, type)
}
