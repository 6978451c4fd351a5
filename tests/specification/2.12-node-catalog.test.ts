import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { NodeCatalog, NodeRecord, NodeState, NodeType } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  LISTED_VALUES,
  SPECIFIED_NODES,
  SPECIFIED_PORTS_AND_FIELDS,
  specifiedNodesOf,
} from '../../packages/contracts/testing/specification-nodes.js'
import { readRows } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { tableModel, Workflows, workflow } from '../testing/workflow.js'
import { shows } from './sentences/index.js'

const workflows = new Workflows(new Caller(shared.url))
const dataset = shared.dataset
const csv = join(dataset, 'train.csv')
const [header = [], ...rows] = readRows(csv)
const column = (name: string) => rows.map((row) => row[header.indexOf(name)] ?? '')

/** The row of the specification that describes a node. */
const rowOf = (type: string) => `2.12/${type as NodeType}` as const
const NODE_ROWS = SPECIFIED_NODES.map(({ type }) => rowOf(type))

/** Values that a field lists. */
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
  it('lists the 22 nodes with exactly these groups, inputs, outputs and fields', shows(...NODE_ROWS), () => {
    expect(SPECIFIED_PORTS_AND_FIELDS).toHaveLength(22)
    expect(specifiedNodesOf(catalog)).toEqual(SPECIFIED_PORTS_AND_FIELDS)
  })

  it('offers 29 backbones and 5 fusion strategies', shows('2.12/backbones', '2.12/fusions'), async () => {
    const { body } = await workflows.caller.get<{ backbones: object[] }>('/api/backbones')
    expect(body.backbones).toHaveLength(29)
    expect(choices(node('SelectFusion'), 'strategy')).toEqual([
      'concatenate',
      'gated',
      'attention',
      'cross_attention',
      'bilinear',
      'late', // not a fusion inside a network: networks of the image and of the table, combined afterwards
      'none',
    ])
  })

  for (const [type, field, values] of LISTED_VALUES)
    it(`${type}.${field} takes ${JSON.stringify(values)}`, shows(rowOf(type)), () =>
      expect(choices(node(type), field)).toEqual(expect.arrayContaining([...values])),
    )

  it('every field has a label and a sentence of help', () => {
    for (const { type, config } of catalog.nodes)
      for (const [field, facts] of Object.entries(
        config.properties as Record<string, { title?: string; description?: string }>,
      )) {
        expect(facts.title, `${type}.${field}`).toBeTruthy()
        expect(facts.description?.endsWith('.'), `${type}.${field}`).toBe(true)
      }
  })

  it(
    'a value that a field does not take is named with its node, field and a hint',
    shows('2.12/ranges'),
    async () => {
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
    },
  )

  it(
    'LoadTabular reads CSV and JSON alike; LoadDataset reads the images too; LoadImage a folder',
    shows('2.12/LoadTabular', '2.12/LoadDataset', '2.12/LoadImage'),
    async () => {
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
    },
  )

  it(
    'FilterData keeps the cases that meet its condition, and MergeDatasets puts them together again',
    shows('2.12/FilterData', '2.12/MergeDatasets'),
    async () => {
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
    },
  )

  it(
    'DataSplit divides by its shares to the case, every class alike, the same way for the same seed',
    shows('2.12/DataSplit'),
    async () => {
      // 40 patients with one case each, 12 of them positive.
      const table = join(dirname(dataset), 'forty.csv')
      const forty = Array.from({ length: 40 }, (_, i) => `p${i},${20 + i},${i < 12 ? 'ill' : 'well'}`)
      writeFileSync(table, ['patient_id,age,label', ...forty, ''].join('\n'))
      const split = (seed: number): [string, Record<string, unknown>] => [
        'DataSplit',
        { train_ratio: 0.5, val_ratio: 0.25, test_ratio: 0.25, seed },
      ]
      const ill: [string, Record<string, unknown>] = ['FilterData', { filter_condition: 'label = ill' }]
      const parts = ['train_dataset', 'val_dataset', 'test_dataset']
      const { nodes } = await workflows.succeed(
        workflow(
          {
            load: ['LoadTabular', { path: table }],
            first: split(1),
            same: split(1),
            other: split(2),
            ...Object.fromEntries(parts.map((part) => [`ill_${part}`, ill])),
          },
          [
            ...['first', 'same', 'other'].map((id) => `load.dataframe > ${id}.dataset`),
            ...parts.map((part) => `first.${part} > ill_${part}.dataset`),
          ],
        ),
      )
      const digests = (state?: NodeState) => parts.map((part) => state?.outputs[part]?.digest)
      expect(parts.map((part) => cases(nodes.first, part))).toEqual([20, 10, 10])
      expect(parts.map((part) => cases(nodes[`ill_${part}`], 'filtered_dataset'))).toEqual([6, 3, 3])
      expect(digests(nodes.same)).toEqual(digests(nodes.first))
      expect(digests(nodes.other)).not.toEqual(digests(nodes.first))
    },
  )

  it(
    'a model is built, trained, evaluated, drawn, reported and kept; predictions and workflow become files',
    shows(
      '1/connect',
      '4.1/1-several',
      '2.12/TabularPreprocess',
      '2.12/BuildModel',
      '2.12/TrainModel',
      '2.12/EvaluateModel',
      '2.12/VisualizeResults',
      '2.12/GenerateReport',
      '2.12/SaveModel',
      '2.12/ExportPredictions',
      '2.12/SaveWorkflow',
    ),
    async () => {
      const { nodes: parts, wires } = tableModel(2)
      const { nodes } = await workflows.succeed(
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
            report: ['GenerateReport', { format: 'HTML' }],
            keep: ['SaveModel', { format: 'PyTorch', path: 'kept' }],
            wrong: ['FilterData', { filter_condition: 'correct == false' }],
            wrongTable: ['ExportPredictions', { format: 'CSV', path: 'wrong.csv' }],
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
            'evaluate.predictions > wrong.dataset',
            'wrong.filtered_dataset > wrongTable.predictions',
            'evaluate.predictions > table.predictions',
            'evaluate.predictions > json.predictions',
            'report.report_path > itself.workflow',
          ],
        ),
      )
      expect(nodes.train?.job_id).toBeTruthy()
      const job = await workflows.caller.status(String(nodes.train?.job_id))
      expect(job).toMatchObject({
        status: 'completed',
        total_epochs: 2,
        config: {
          data: { missing_strategy: 'median', scaling: 'robust', categorical_encoding: 'label' },
          model: { vision_backbone: 'none', fusion_type: 'concatenate', hidden_dim: 16 },
          training: { epochs: 2, batch_size: 8 },
        },
      })
      expect(Object.keys(nodes.train?.outputs ?? {})).toEqual([
        'trained_model',
        'training_history',
        'best_checkpoint',
      ])
      expect(Object.keys(nodes.evaluate?.outputs ?? {})).toEqual([
        'metrics',
        'predictions',
        'confusion_matrix',
      ])

      // Every plot in two formats: vector and pixels.
      const plots = nodes.plots?.outputs.plots?.files ?? []
      const drawn = ['confusion-matrix', 'learning-curve-loss', 'learning-curve-metrics', 'pr', 'roc']
      expect(plots.map((path) => basename(path)).sort()).toEqual(
        drawn.flatMap((name) => [`${name}.png`, `${name}.svg`]),
      )
      for (const path of plots) {
        const start = readFileSync(path).subarray(0, 200).toString('latin1')
        expect(start).toContain(path.endsWith('.svg') ? '<svg' : '\x89PNG')
      }
      // The report contains the numbers of the node and the charts.
      const [report = ''] = nodes.report?.outputs.report_path?.files ?? []
      const html = readFileSync(report, 'utf8')
      const shown = nodes.evaluate?.outputs.metrics?.summary ?? ''
      expect(shown).toMatch(/^accuracy \d\.\d{3}, AUROC \d\.\d{3}/)
      for (const [value] of shown.matchAll(/\d\.\d{3}/g)) expect(html).toContain(value)
      expect(html.match(/<svg/g)?.length).toBeGreaterThanOrEqual(drawn.length)

      const outputs = join(shared.dataDir, 'outputs')
      const predictions = readRows(join(outputs, 'predictions.csv'))
      const tested = readRows(join(dataset, 'test.csv')).length
      expect(predictions).toHaveLength(tested)
      const [names = [], ...predicted] = predictions
      const place = (name: string) => names.indexOf(`"${name}"`)
      const places = predicted.map((row) => [row[place('file')], row[place('row')], row[place('split')]])
      expect(places.slice(0, 2)).toEqual([
        ['"test.csv"', '2', '"test"'],
        ['"test.csv"', '3', '"test"'],
      ])
      const wrong = predicted.filter((row) => row[place('truth')] !== row[place('predicted')])
      expect(readRows(join(outputs, 'wrong.csv'))).toEqual([names, ...wrong])
      expect(JSON.parse(readFileSync(join(outputs, 'predictions.json'), 'utf8'))).toHaveLength(tested - 1)
      expect(existsSync(join(outputs, 'kept')) || existsSync(join(outputs, 'kept.safetensors'))).toBe(true)
      const saved = JSON.parse(readFileSync(join(outputs, 'itself.json'), 'utf8'))
      expect(saved).toMatchObject({ version: '1.1', metadata: { name: 'as it ran' } })
      expect(saved.nodes).toHaveLength(Object.keys(nodes).length)
    },
  )
})
