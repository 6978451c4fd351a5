import { readFileSync } from 'node:fs'
import type { NodeCatalog, NodeRecord } from '../src/index.js'

/** One row of the specification's table of nodes (section 2.12), with its original cells. */
export interface SpecificationRow {
  readonly group: string
  readonly node: string
  readonly inputs: string
  readonly outputs: string
  readonly configuration: string
}

export interface SpecifiedField {
  readonly name: string
  /** All values of the field; empty if the specification lists none. */
  readonly values: readonly string[]
  /** Values that are examples of many. */
  readonly examples: readonly string[]
}

/** Specification of a node: inputs marked "?" are optional, "further" means any number of additional inputs. */
export interface SpecifiedNode {
  readonly group: string
  readonly type: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly fields: readonly SpecifiedField[]
}

/** The transcription of the table: the only one of the repository. */
export const SPECIFICATION_ROWS: readonly SpecificationRow[] = JSON.parse(
  readFileSync(new URL('./specification-nodes.json', import.meta.url), 'utf8'),
)

export const SPECIFIED_NODES: readonly SpecifiedNode[] = SPECIFICATION_ROWS.map(
  ({ group, node, inputs, outputs, configuration }) => ({
    group,
    type: node,
    inputs: items(inputs).map(({ name, note }) =>
      name.startsWith('further ') ? 'further' : note === 'opt' ? `${name}?` : name,
    ),
    outputs: items(outputs).map(({ name }) => name),
    fields: items(configuration).map(({ name, note }) => ({
      name,
      values: note.includes('/') ? note.split('/') : [],
      examples: note.startsWith('e.g. ') ? note.slice('e.g. '.length).split(', ') : [],
    })),
  }),
)

/** Node type, field and values of every field whose values are listed. */
export const LISTED_VALUES = SPECIFIED_NODES.flatMap(({ type, fields }) =>
  fields.flatMap(({ name, values }) => (values.length > 0 ? [[type, name, values] as const] : [])),
)

/** The specification's nodes without values, to compare with `inSpecificationTerms`. */
export const SPECIFIED_PORTS_AND_FIELDS = SPECIFIED_NODES.map(({ fields, ...node }) => ({
  ...node,
  fields: fields.map(({ name }) => name),
}))

/** Nodes that the catalog has in addition to the specification. */
export const NODES_BEYOND: readonly string[] = ['PredictCases']

const COLUMN_ROLES = [
  'label_column',
  'patient_column',
  'ignore_columns',
  'positive_class',
  'label_columns',
  'time_column',
  'event_column',
]

/** Optional fields that the catalog has in addition to the specification: workflows without them have the same meaning. */
export const FIELDS_BEYOND: Readonly<Record<string, readonly string[]>> = {
  LoadDataset: [...COLUMN_ROLES, 'slices'],
  LoadImage: ['slices', 'join_by'],
  LoadTabular: COLUMN_ROLES,
  TabularPreprocess: ['missing_indicator'],
  SelectFusion: ['members', 'linear_share', 'missing_token', 'image_weight'],
  BuildModel: ['survival_intervals'],
  TrainModel: ['baselines', 'allow_leakage'],
  ResumeTraining: ['mode', 'epochs', 'learning_rate', 'allow_leakage'],
  EvaluateModel: ['calibrated', 'importance'],
  GenerateReport: ['with_images', 'report'],
}

/** The nodes of a catalog that the specification lists, in its terms. */
export function specifiedNodesOf({ nodes }: Pick<NodeCatalog, 'nodes'>) {
  return nodes.filter(({ type }) => !NODES_BEYOND.includes(type)).map(inSpecificationTerms)
}

/** A node of the catalog in the terms of the specification, without the values of its fields and without additional fields. */
function inSpecificationTerms({ group, type, inputs, outputs, config }: NodeRecord) {
  return {
    group,
    type,
    inputs: inputs.map(({ name, optional, multiple, implicit }) =>
      multiple ? 'further' : optional && !implicit ? `${name}?` : name,
    ),
    outputs: outputs.map(({ name }) => name),
    fields: Object.keys((config.properties ?? {}) as object).filter(
      (name) => !FIELDS_BEYOND[type]?.includes(name),
    ),
  }
}

/** The rows of the table in the text of the specification. */
export function rowsIn(specification: string): SpecificationRow[] {
  const [, section = ''] = specification.split(/^### 2\.12 .*$/m)
  return (section.split(/^#/m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [group = '', node = '', inputs = '', outputs = '', configuration = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
      return { group, node, inputs, outputs, configuration }
    })
}

/** "a (x, y), b" → a with the note "x, y", b without one; "none" and "none listed" are not items. */
function items(cell: string): { name: string; note: string }[] {
  if (/^none\b/.test(cell)) return []
  return [...cell.matchAll(/([^,(]+?)\s*(?:\(([^)]*)\))?(?:,\s*|$)/g)].map(([, name = '', note = '']) => ({
    name: name.trim(),
    note,
  }))
}
