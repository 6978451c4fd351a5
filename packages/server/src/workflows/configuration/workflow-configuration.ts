import {
  assembled,
  type ConfigurationOfWorkflow,
  checkAssembled,
  DataConfig,
  declaredSettings,
  factsOf,
  findInput,
  joinTexts,
  type PlacedSetting,
  type Unsaid,
} from '@medloom/contracts'
import { type Inferred, type Validated, withAncestors } from '@medloom/workflow'
import { AppError, hintOfIssue, placedMessage } from '../../errors.js'
import type { DatasetPlace } from '../sources/dataset-source.js'

/** The table that a source node reads, with the keys of a training configuration. */
export type FindSource = (
  field: 'dataset' | 'table' | 'path',
  value: string,
) => Promise<Pick<DatasetPlace, 'path'> & Partial<DatasetPlace>>

interface Known {
  readonly validated: Validated
  readonly inputs: Inferred['inputs']
  readonly find: FindSource
}

/**
 * The settings made by the nodes above a training, in the order in which a run merges them, and the tables of its cases. Settings that no
 * key can express are listed, never dropped silently. @throws AppError INVALID_CONFIG
 */
export async function configurationOf(node: string, known: Known): Promise<ConfigurationOfWorkflow> {
  const { validated, inputs } = known
  const number = validated.graph.numberOf.get(node) ?? -1
  const definition = validated.definitions[number]
  const config = validated.configs[number]
  if (!definition || !config) throw new Error('the node was not checked')
  const arriving = inputs.get(node) ?? {}
  const settings: Record<string, unknown> = {}
  const merge = (more: Readonly<Record<string, Pick<PlacedSetting, 'value'>>> = {}) => {
    for (const [key, { value }] of Object.entries(more)) settings[key] = value
  }
  for (const port of ['train_dataset', 'model', 'training_config']) merge(arriving[port]?.settings)
  merge(declaredSettings(definition, config))

  const unsaid: Unsaid[] = []
  const train = await sourceAt(number, 'train_dataset', known, unsaid)
  const val = await sourceAt(number, 'val_dataset', known, unsaid)
  unsaid.push(...unsaidFields(number, validated))
  const document = assembled(settings)
  document.data = {
    ...document.data,
    ...train?.keys,
    train_csv: train?.path ?? '-',
    val_csv: val?.path ?? null,
  }
  const checked = checkAssembled(document)
  if (checked.ok) return { node, config: checked.value, unsaid }
  const [first] = checked.issues
  throw new AppError(
    'INVALID_CONFIG',
    joinTexts(checked.issues.map(placedMessage), 'semicolon'),
    first && hintOfIssue(first),
    checked.issues,
  )
}

interface Source {
  readonly path: string
  /** Keys of the section data that the node, or the record of the dataset, sets. */
  readonly keys: Readonly<Record<string, unknown>>
}

/** Follow the cases upward to their source. */
async function sourceAt(
  start: number,
  port: string,
  { validated, find }: Known,
  unsaid: Unsaid[],
): Promise<Source | undefined> {
  const { graph, definitions, configs } = validated
  const found = new Set<number>()
  const open: [number, string][] = [[start, port]]
  const seen = new Set<string>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [number, input] = next
    const inputs = definitions[number]?.inputs ?? []
    for (const { connection, source } of graph.incoming[number] ?? []) {
      if (findInput(inputs, connection.target_port)?.name !== input) continue
      const place = JSON.stringify([source, connection.source_port])
      if (seen.has(place)) continue
      seen.add(place)
      const relation = definitions[source]?.lineage.find(
        (one) => 'output' in one && one.output === connection.source_port,
      )
      if (relation?.relation === 'source') found.add(source)
      else if (relation?.relation === 'same_as') open.push([source, relation.of])
      else {
        unsaid.push(
          unsaidOf(
            graph.nodes[source]?.id,
            null,
            'a configuration has no key for the selection of these cases',
          ),
        )
        const sources = relation && 'of' in relation ? [relation.of].flat() : []
        open.push(...sources.map((name): [number, string] => [source, name]))
      }
    }
  }
  const [first, ...others] = [...found].sort((a, b) => a - b)
  for (const other of others)
    unsaid.push(unsaidOf(graph.nodes[other]?.id, null, 'a configuration has only one table per split'))
  if (first === undefined) return undefined
  const read = { definition: definitions[first], config: configs[first] ?? {}, id: graph.nodes[first]?.id }
  return readSource(read, find, unsaid)
}

interface SourceNode {
  readonly definition: Validated['definitions'][number]
  readonly config: Readonly<Record<string, unknown>>
  readonly id: string | undefined
}

async function readSource(
  { definition, config, id }: SourceNode,
  find: FindSource,
  unsaid: Unsaid[],
): Promise<Source | undefined> {
  const source = definition?.lineage.find((one) => one.relation === 'source')
  if (!definition || source?.relation !== 'source') return undefined
  const { reads = 'path' } = factsOf(definition.config.shape[source.named_by])
  if (reads === 'model') return undefined
  const { path, ...place } = await find(reads, String(config[source.named_by]))
  const part = source.part
  if (part && config[part.field] !== part.whole)
    unsaid.push(unsaidOf(id, part.field, 'a configuration uses the whole table'))
  const { image_root, label_columns = [], ignore_columns = [], roles: _, slices: __, ...others } = place
  const columns = {
    image_root: image_root ?? null,
    ...others,
    ...(label_columns.length === 1 ? { label_column: label_columns[0] } : {}),
    ...(label_columns.length > 1 ? { label_columns } : {}),
    ...(ignore_columns.length > 0 ? { ignore_columns } : {}),
  }
  const own = Object.entries(config).filter(([field, value]) => field in DataConfig.shape && given(value))
  const keys = { ...columns, ...Object.fromEntries(own) }
  const bothIgnored = [...new Set([...ignore_columns, ...((config.ignore_columns as string[]) ?? [])])]
  return { path, keys: { ...keys, ...(bothIgnored.length > 0 ? { ignore_columns: bothIgnored } : {}) } }
}

function given(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0)
}

/** Fields of the node and its ancestors that have no configuration key and differ from their default. */
function unsaidFields(start: number, { graph, definitions, configs }: Validated): Unsaid[] {
  const above = withAncestors(graph, [start])
  return graph.nodes.flatMap(({ id }, number) => {
    const definition = definitions[number]
    const config = configs[number]
    if (!above[number] || !definition || !config) return []
    const source = definition.lineage.find((one) => one.relation === 'source')
    const named = source?.relation === 'source' ? [source.named_by, source.part?.field] : []
    return Object.entries(definition.config.shape).flatMap(([field, schema]) => {
      const { training_key, affects_result } = factsOf(schema)
      if (training_key || affects_result === false || named.includes(field)) return []
      if (source && field in DataConfig.shape) return []
      const usual = (schema as { safeParse(value: unknown): { data?: unknown } }).safeParse(undefined).data
      if (JSON.stringify(config[field] ?? null) === JSON.stringify(usual ?? null)) return []
      return [unsaidOf(id, field, 'a configuration has no key for this setting')]
    })
  })
}

function unsaidOf(node: string | undefined, field: string | null, message: string): Unsaid {
  return { node: node ?? '', field, message }
}
