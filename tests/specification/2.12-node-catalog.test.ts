import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NodeCatalog, NodeRecord, NodeState } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  inSpecificationTerms,
  LISTED_VALUES,
  SPECIFIED_PORTS_AND_FIELDS,
} from '../../packages/contracts/testing/specification-nodes.js'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'

const workflows = new Workflows(new Caller(shared.url))
const dataset = shared.dataset
const csv = join(dataset, 'train.csv')
const [header = [], ...rows] = readRows(csv)
const column = (name: string) => rows.map((row) => row[header.indexOf(name)] ?? '')

/** The values that a field lists. */
function choices(record: NodeRecord | undefined, field: string): unknown[] {
  type Schema = { enum?: unknown[]; anyOf?: { enum?: unknown[] }[]; items?: { enum?: unknown[] } }
  const properties = (record?.config.properties ?? {}) as Record<string, Schema>
  const schema = properties[field]
  return (
    schema?.enum ?? schema?.items?.enum ?? schema?.anyOf?.flatMap(({ enum: values = [] }) => values) ?? []
  )
}

const cases = (state: NodeState | undefined, port: string) =>
  Number(/^([\d,]+) cases?/.exec(state?.outputs[port]?.summary ?? '')?.[1]?.replaceAll(',', ''))

let catalog: NodeCatalog
const node = (type: string) => catalog.nodes.find((record) => record.type === type)
beforeAll(async () => {
  catalog = (await workflows.caller.get<NodeCatalog>('/api/nodes')).body
})

describe('2.12 Node catalog', () => {
  it('lists the 22 nodes with exactly these groups, inputs, outputs and fields', () => {
    expect(catalog.nodes).toHaveLength(22)
    expect(catalog.nodes.map(inSpecificationTerms)).toEqual(SPECIFIED_PORTS_AND_FIELDS)
  })

  it('offers 29 backbones and 5 fusion strategies', async () => {
    const { body } = await workflows.caller.get<{ backbones: object[] }>('/api/backbones')
    expect(body.backbones).toHaveLength(29)
    expect(choices(node('SelectFusion'), 'strategy')).toEqual([
      'concatenate',
      'gated',
      'attention',
      'cross_attention',
      'bilinear',
      'none',
    ])
  })

  it.each(LISTED_VALUES)('%s.%s takes %j', (type, field, values) => {
    expect(choices(node(type), field)).toEqual(expect.arrayContaining([...values]))
  })

  it('every field has a label and a sentence of help', () => {
    for (const { type, config } of catalog.nodes)
      for (const [field, facts] of Object.entries(
        config.properties as Record<string, { title?: string; description?: string }>,
      )) {
        expect(facts.title, `${type}.${field}`).toBeTruthy()
        expect(facts.description?.endsWith('.'), `${type}.${field}`).toBe(true)
      }
  })

  it('a value that a field does not take is named with its node, field and a hint', async () => {
    const issues = await workflows.issues(
      workflow({
        optimizer: ['ConfigureTraining', { optimizer: 'adamm' }],
        typo: ['SelectFusion', { hiden_dim: 8 }],
        range: ['SelectFusion', { dropout: 2 }],
      }),
    )
    expect(issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ node: 'optimizer', field: 'optimizer', hint: expect.any(String) }),
        expect.objectContaining({ node: 'typo', hint: expect.stringContaining('hidden_dim') }),
        expect.objectContaining({ node: 'range', field: 'dropout' }),
      ]),
    )
  })

  it('LoadTabular reads CSV and JSON alike; LoadDataset reads the images too; LoadImage a folder', async () => {
    const json = join(dirname(dataset), 'table.json')
    writeFileSync(
      json,
      JSON.stringify(rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i]])))),
    )
    const { nodes } = await workflows.succeed(
      workflow({
        csv: ['LoadTabular', { path: csv, format: 'CSV' }],
        json: ['LoadTabular', { path: json }],
        set: ['LoadDataset', { dataset_id: csv }],
        folder: ['LoadImage', { path: join(dataset, 'images'), format: 'PNG' }],
      }),
    )
    expect(cases(nodes.csv, 'dataframe')).toBe(rows.length)
    expect(cases(nodes.json, 'dataframe')).toBe(rows.length)
    expect(cases(nodes.set, 'dataset')).toBe(rows.length)
    expect(cases(nodes.folder, 'images')).toBe(60)
  })

  it('FilterData keeps the cases that meet its condition, and MergeDatasets puts them together again', async () => {
    const { nodes } = await workflows.succeed(
      workflow(
        {
          load: ['LoadTabular', { path: csv }],
          women: ['FilterData', { filter_condition: 'sex = "female"' }],
          men: ['FilterData', { filter_column: 'sex', filter_condition: 'in ("male")' }],
          gaps: ['FilterData', { filter_condition: 'marker is missing or not (age >= 18)' }],
          both: ['MergeDatasets', { merge_strategy: 'interleave' }],
        },
        [
          'load.dataframe > women.dataset',
          'load.dataframe > men.dataset',
          'load.dataframe > gaps.dataset',
          'women.filtered_dataset > both.dataset1',
          'men.filtered_dataset > both.dataset2',
        ],
      ),
    )
    const count = (value: string) => column('sex').filter((sex) => sex === value).length
    expect(cases(nodes.women, 'filtered_dataset')).toBe(count('female'))
    expect(cases(nodes.men, 'filtered_dataset')).toBe(count('male'))
    expect(cases(nodes.both, 'merged_dataset')).toBe(rows.length)
    const gaps = rows.filter(
      (_, i) => column('marker')[i] === '' || (column('age')[i] !== '' && Number(column('age')[i]) < 18),
    )
    expect(cases(nodes.gaps, 'filtered_dataset')).toBe(gaps.length)
  })

  it('DataSplit divides by its shares, the same way for the same seed', async () => {
    const split = (seed: number) =>
      ['DataSplit', { train_ratio: 0.5, val_ratio: 0.25, test_ratio: 0.25, seed }] as [string, object]
    const { nodes } = await workflows.succeed(
      workflow(
        {
          load: ['LoadTabular', { path: csv }],
          first: split(1) as never,
          same: split(1) as never,
          other: split(2) as never,
        },
        ['load.dataframe > first.dataset', 'load.dataframe > same.dataset', 'load.dataframe > other.dataset'],
      ),
    )
    const parts = ['train_dataset', 'val_dataset', 'test_dataset']
    const digests = (state?: NodeState) => parts.map((part) => state?.outputs[part]?.digest)
    expect(parts.map((part) => cases(nodes.first, part)).reduce((a, b) => a + b)).toBe(rows.length)
    expect(cases(nodes.first, 'train_dataset') / rows.length).toBeCloseTo(0.5, 0)
    expect(digests(nodes.same)).toEqual(digests(nodes.first))
    expect(digests(nodes.other)).not.toEqual(digests(nodes.first))
  })

  it('a model is built, trained, evaluated, drawn, reported and kept; predictions and workflow become files', async () => {
    const { nodes: parts, wires } = tableModel(2)
    const { id, nodes } = await workflows.succeed(
      workflow(
        {
          training: ['LoadTabular', { path: csv }],
          validation: ['LoadTabular', { path: join(dataset, 'val.csv') }],
          test: ['LoadTabular', { path: join(dataset, 'test.csv') }],
          prepare: [
            'TabularPreprocess',
            { missing_strategy: 'median', scaling: 'robust', encoding: 'label' },
          ],
          ...parts,
          evaluate: ['EvaluateModel', { metrics: ['accuracy', 'auc'] }],
          plots: ['VisualizeResults'],
          report: ['GenerateReport', { format: 'HTML', template: 'short' }],
          keep: ['SaveModel', { format: 'PyTorch', path: 'kept' }],
          table: ['ExportPredictions', { format: 'CSV', path: 'predictions.csv' }],
          json: ['ExportPredictions', { format: 'JSON', path: 'predictions.json' }],
          itself: ['SaveWorkflow', { path: 'itself.json', name: 'as it ran' }],
        },
        [
          ...wires,
          'training.dataframe > prepare.dataframe',
          'prepare.processed_data > train.train_dataset',
          'validation.dataframe > train.val_dataset',
          'train.trained_model > evaluate.model',
          'test.dataframe > evaluate.test_dataset',
          'evaluate.metrics > plots.metrics',
          'evaluate.confusion_matrix > plots.confusion_matrix',
          'train.training_history > plots.training_history',
          'evaluate.metrics > report.metrics',
          'plots.plots > report.plots',
          'model.model_summary > report.model_summary',
          'train.trained_model > keep.model',
          'evaluate.predictions > table.predictions',
          'evaluate.predictions > json.predictions',
          'report.report_path > itself.workflow',
        ],
      ),
    )
    expect(nodes.train?.job_id).toBeTruthy()
    expect((await workflows.caller.status(String(nodes.train?.job_id))).status).toBe('completed')
    expect(Object.keys(nodes.train?.outputs ?? {})).toEqual([
      'trained_model',
      'training_history',
      'best_checkpoint',
    ])
    expect(Object.keys(nodes.evaluate?.outputs ?? {})).toEqual(['metrics', 'predictions', 'confusion_matrix'])

    const artifacts = join(shared.dataDir, 'workflows', id, 'artifacts')
    const predictions = readRows(join(artifacts, 'predictions.csv'))
    const tested = readRows(join(dataset, 'test.csv')).length
    expect(predictions).toHaveLength(tested)
    expect(JSON.parse(readFileSync(join(artifacts, 'predictions.json'), 'utf8'))).toHaveLength(tested - 1)
    expect(existsSync(join(artifacts, 'kept')) || existsSync(join(artifacts, 'kept.safetensors'))).toBe(true)
    const saved = JSON.parse(readFileSync(join(artifacts, 'itself.json'), 'utf8'))
    expect(saved).toMatchObject({ version: '1.0', metadata: { name: 'as it ran' } })
    expect(saved.nodes).toHaveLength(Object.keys(nodes).length)
  })
})
