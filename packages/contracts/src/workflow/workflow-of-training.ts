import { z } from 'zod'
import { DataConfig } from '../configuration/data.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { factsOf } from '../nodes/definition.js'
import { NODES } from '../nodes/index.js'
import { declaredSettings } from '../nodes/settings.js'
import { schemaOfKey } from '../nodes/training-fields.js'
import { WORKFLOW_VERSION } from './migrations.js'
import { NODE_GAP, NODE_SIZE, nodeSize } from './node-size.js'
import { Workflow } from './saved-workflow.js'

type NodeType = keyof typeof NODES & string
type Config = Record<string, unknown>

export const WorkflowOfTrainingRequest = z
  .strictObject({
    config: TrainingConfig,
    name: z.string().max(200).default('').meta({ title: 'Name of the workflow' }),
  })
  .meta({ id: 'WorkflowOfTrainingRequest' })

export const WorkflowOfTraining = z
  .object({
    workflow: Workflow,
    lost: z.array(z.string()).meta({
      description: 'Dotted keys of the configuration that no node has; the workflow uses their defaults',
    }),
  })
  .meta({ id: 'WorkflowOfTraining' })
export type WorkflowOfTraining = z.infer<typeof WorkflowOfTraining>

/** Keys that select the data: in a workflow, the loading nodes replace them. */
const OF_SOURCES = ['data.train_csv', 'data.val_csv', 'data.test_csv']

/**
 * Nodes that load, prepare, build and train according to the configuration. A field is set only if its key differs from the node's
 * default.
 */
export function workflowOfTraining(config: TrainingConfig, name: string): WorkflowOfTraining {
  const { data, model } = config
  const [hasImage, hasTable] = [model.vision_backbone !== 'none', model.fusion_type !== 'none']
  const load = (id: string, path: string) => nodeOf(id, 'LoadDataset', config, { dataset_id: path })
  const prepared = [
    ...(hasImage ? [nodeOf('images', 'ImagePreprocess', config)] : []),
    ...(hasTable ? [nodeOf('table', 'TabularPreprocess', config)] : []),
  ]
  const parts = [
    nodeOf('backbone', 'SelectBackbone', config),
    nodeOf('fusion', 'SelectFusion', config),
    ...(hasImage ? [nodeOf('aggregator', 'SelectAggregator', config)] : []),
    nodeOf('settings', 'ConfigureTraining', config),
  ]
  const columns = [
    [load('training-data', data.train_csv), ...(data.val_csv ? [load('validation-data', data.val_csv)] : [])],
    [...prepared, ...parts],
    [nodeOf('model', 'BuildModel', config)],
    [nodeOf('train', 'TrainModel', config)],
  ]
  const nodes = columns.flatMap(placed)
  const wires = [
    ...(hasImage
      ? ['training-data.dataset > images.images', 'images.processed_images > train.train_dataset']
      : []),
    ...(hasTable
      ? ['training-data.dataset > table.dataframe', 'table.processed_data > train.train_dataset']
      : []),
    ...(data.val_csv ? ['validation-data.dataset > train.val_dataset'] : []),
    'backbone.backbone_config > model.backbone_config',
    'fusion.fusion_config > model.fusion_config',
    ...(hasImage ? ['aggregator.aggregator_config > model.aggregator_config'] : []),
    'model.model > train.model',
    'settings.training_config > train.training_config',
  ]
  return {
    workflow: {
      version: WORKFLOW_VERSION,
      metadata: { name, description: '', author: '', tags: [] },
      nodes,
      connections: wires.map(connectionOf),
      execution_history: [],
    },
    lost: lostOf(config, nodes),
  }
}

/** Nodes of a column below each other, at their drawn height. */
function placed<N extends { readonly type: NodeType }>(column: readonly N[], number: number) {
  let y = 0
  return column.map((node) => {
    const position = { x: number * (NODE_SIZE.width + NODE_GAP.columns), y }
    y += nodeSize(NODES[node.type]).height + NODE_GAP.rows
    return { ...node, position }
  })
}

function nodeOf(id: string, type: NodeType, config: TrainingConfig, own: Config = {}) {
  const set: Config = { ...own }
  const { shape } = NODES[type].config as { shape: Config }
  for (const [field, schema] of Object.entries(shape)) {
    const { training_key = keyOfSource(type, field), training_values } = factsOf(schema as never)
    if (!training_key || OF_SOURCES.includes(training_key)) continue
    const value = asField(valueAt(config, training_key), training_values)
    const usual = (schema as { safeParse(given: unknown): { data?: unknown } }).safeParse(undefined).data
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(usual)) set[field] = value
  }
  const parsed = NODES[type].config.safeParse(set)
  return { id, type, config: parsed.success ? set : own }
}

/** The fields of a source node for column roles have the names of the keys; the cases that it returns carry the roles from there on. */
function keyOfSource(type: NodeType, field: string): string | undefined {
  const isSource = NODES[type].lineage.some(({ relation }) => relation === 'source')
  return isSource && field in DataConfig.shape ? `data.${field}` : undefined
}

/** Value in the notation of a node field. */
function asField(value: unknown, names: Readonly<Record<string, string>> | undefined): unknown {
  if (names) return Object.entries(names).find(([, mapped]) => mapped === value)?.[0]
  return value === null ? undefined : isPair(value) ? { width: value[0], height: value[1] } : value
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number')
}

function connectionOf(wire: string, index: number) {
  const [source = '', source_port = '', target = '', target_port = ''] = wire.split(/ > |\./)
  return { id: `c${String(index + 1).padStart(2, '0')}`, source, source_port, target, target_port }
}

/** Keys with a value other than the default that the nodes cannot express. */
function lostOf(config: TrainingConfig, nodes: readonly { type: NodeType; config: Config }[]): string[] {
  const settings = new Map<string, unknown>()
  for (const { type, config: given } of nodes) {
    const complete = NODES[type].config.safeParse(given)
    if (!complete.success) continue
    const declared = declaredSettings(NODES[type] as never, complete.data as Config)
    for (const [key, { value }] of Object.entries(declared)) settings.set(key, value)
    for (const [field, value] of Object.entries(complete.data as Config)) {
      const key = keyOfSource(type, field)
      if (key) settings.set(key, value)
    }
  }
  const sections = ['data', 'model', 'training'] as const
  const keys = sections.flatMap((section) => Object.keys(config[section]).map((key) => `${section}.${key}`))
  return keys.filter((key) => {
    if (OF_SOURCES.slice(0, 2).includes(key)) return false
    const value = valueAt(config, key)
    const usual = schemaOfKey(key)?.safeParse(undefined).data
    return !same(value, settings.has(key) ? settings.get(key) : usual)
  })
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

function valueAt(config: TrainingConfig, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((inside, part) => (inside as Config | null | undefined)?.[part], config)
}
