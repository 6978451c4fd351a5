import { NODES, type Workflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { workflowOf } from '../../testing/arithmetic.js'
import { connect, training } from '../../testing/examples.js'
import { hasErrors, validate } from '../index.js'

const issuesOf = (workflow: Workflow) => validate(workflow).issues
const node = (id: string, type: string, config: Record<string, unknown> = {}) => ({ id, type, config })
const load = node('load', 'LoadDataset', { dataset_id: 'd' })

describe('a valid workflow', () => {
  //  load ─dataset─► images ─► split ─┬─► train ─► evaluate
  //  backbone, fusion ─► build ───────┘      ▲
  //  configure ─────────────────────────────┘
  it('has no issue, an order of all nodes, and complete configs', () => {
    const { issues, order, configs, graph } = validate(training())
    expect(issues).toEqual([])
    expect(order).toHaveLength(9)
    expect(configs[graph.numberOf.get('load') ?? -1]).toEqual({
      dataset_id: 'pad',
      split: 'all',
      shuffle: false,
      seed: 0,
      label_column: null,
      label_columns: null,
      time_column: null,
      event_column: null,
      patient_column: null,
      ignore_columns: [],
      positive_class: null,
      slices: { count: 3, axis: 'axial', spread: 'content' },
    })
  })

  //  load.dataset ─► images.images      the first thing that people try
  it('may connect LoadDataset.dataset to ImagePreprocess.images', () => {
    const workflow = workflowOf(
      [load, node('images', 'ImagePreprocess')],
      [connect('load.dataset', 'images.images')],
    )
    expect(issuesOf(workflow)).toEqual([])
  })

  //  images ─┐
  //          ├─► split.dataset      loaded apart, joined by case id
  //  table ──┘
  it('may let images and one table meet in a port of a dataset', () => {
    const workflow = workflowOf(
      [
        node('images', 'LoadImage', { path: 'i' }),
        node('table', 'LoadTabular', { path: 't.csv' }),
        node('split', 'DataSplit'),
      ],
      [connect('images.images', 'split.dataset'), connect('table.dataframe', 'split.dataset')],
    )
    expect(issuesOf(workflow)).toEqual([])
  })

  //  load ─► dataset1, dataset2, dataset3, dataset7 of merge
  it('may merge more than two datasets, by numbered ports', () => {
    const ports = ['dataset1', 'dataset2', 'dataset3', 'dataset7']
    const workflow = workflowOf(
      [load, node('merge', 'MergeDatasets')],
      ports.map((port) => connect('load.dataset', `merge.${port}`)),
    )
    expect(issuesOf(workflow)).toEqual([])
  })

  it('needs no connection into an input that the run supplies', () => {
    expect(issuesOf(workflowOf([node('save', 'SaveWorkflow')], []))).toEqual([])
  })
})

describe('issues', () => {
  it.each<[string, Workflow, Record<string, unknown>]>([
    [
      'an unknown type, with the nearest one',
      workflowOf([node('a', 'LoadDatset')], []),
      { code: 'UNKNOWN_NODE_TYPE', node: 'a', hint: 'Did you mean "LoadDataset"?' },
    ],
    [
      'an unknown config field, with the nearest one',
      workflowOf([node('a', 'LoadDataset', { dataset_id: 'd', suffle: true })], []),
      {
        code: 'UNKNOWN_FIELD',
        node: 'a',
        field: 'suffle',
        hint: 'Did you mean "shuffle"?',
        path: 'nodes.a.config.suffle',
      },
    ],
    [
      'a config value out of range',
      workflowOf([node('a', 'ConfigureTraining', { epochs: 0 })], []),
      { code: 'INVALID_VALUE', node: 'a', field: 'epochs' },
    ],
    [
      'a required config field',
      workflowOf([node('a', 'LoadTabular')], []),
      { code: 'MISSING_FIELD', node: 'a', field: 'path' },
    ],
    [
      'an unknown output, with the nearest one',
      workflowOf([load, node('b', 'ImagePreprocess')], [connect('load.datset', 'b.images')]),
      { code: 'UNKNOWN_PORT', node: 'load', port: 'datset', suggestion: 'dataset' },
    ],
    [
      'an unknown input, with those there are',
      workflowOf([load, node('b', 'DataSplit')], [connect('load.dataset', 'b.zzz')]),
      { code: 'UNKNOWN_PORT', node: 'b', hint: 'It has dataset.' },
    ],
    [
      'two connections into a single port',
      workflowOf(
        [load, node('b', 'DataSplit')],
        [connect('load.dataset', 'b.dataset'), connect('load.dataset', 'b.dataset')],
      ),
      {
        code: 'PORT_OCCUPIED',
        node: 'b',
        port: 'dataset',
        connection: 'c1',
        hint: expect.stringContaining('at most one image and one tabular'),
      },
    ],
    //  two folders of images cannot be joined by case id
    [
      'two connections of the same part into a port that joins parts',
      workflowOf(
        [
          node('i', 'LoadImage', { path: 'i' }),
          node('j', 'LoadImage', { path: 'j' }),
          node('b', 'DataSplit'),
        ],
        [connect('i.images', 'b.dataset'), connect('j.images', 'b.dataset')],
      ),
      { code: 'PORT_OCCUPIED', node: 'b', connection: 'c1' },
    ],
    [
      'a required input without a connection',
      workflowOf([node('b', 'DataSplit')], []),
      { code: 'MISSING_INPUT', node: 'b', port: 'dataset' },
    ],
    ['a node id that is there twice', workflowOf([load, load], []), { code: 'DUPLICATE_ID', node: 'load' }],
    [
      'a connection from nowhere',
      workflowOf([load, node('b', 'DataSplit')], [connect('laod.dataset', 'b.dataset')]),
      { code: 'UNKNOWN_NODE', connection: 'c0', hint: 'Did you mean "load"?' },
    ],
    [
      'a node that feeds itself',
      workflowOf(
        [node('m', 'FilterData', { filter_condition: 'a > 1' })],
        [connect('m.filtered_dataset', 'm.dataset')],
      ),
      { code: 'SELF_LOOP', connection: 'c0' },
    ],
    //  a ─► b ─► c ─► a
    [
      'a cycle, with its path',
      workflowOf(
        ['a', 'b', 'c'].map((id) => node(id, 'DataSplit')),
        [
          connect('a.train_dataset', 'b.dataset'),
          connect('b.train_dataset', 'c.dataset'),
          connect('c.train_dataset', 'a.dataset'),
        ],
      ),
      { code: 'CYCLE', cycle: ['a', 'b', 'c', 'a'], message: expect.stringContaining('a → b → c → a') },
    ],
    [
      'shares that do not add up',
      workflowOf([node('s', 'DataSplit', { train_ratio: 0.9 })], []),
      {
        code: 'INVALID_VALUE',
        node: 's',
        field: 'train_ratio',
        message: 'the three shares add up to 1.2, not 1',
      },
    ],
  ])('name %s', (_, workflow, expected) => {
    expect(issuesOf(workflow)).toContainEqual(expect.objectContaining({ severity: 'error', ...expected }))
  })

  it('name both types of a wrong connection, and what to connect instead', () => {
    const workflow = workflowOf(
      [load, node('train', 'TrainModel')],
      [connect('load.metadata', 'train.train_dataset'), connect('load.dataset', 'train.model')],
    )
    expect(issuesOf(workflow)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'TYPE_MISMATCH',
          message: 'output metadata is config (metadata), but input train_dataset accepts training_data',
          hint: 'Connect "dataset" of the same node instead.',
        }),
        expect.objectContaining({
          message: 'output dataset is dataset, but input model accepts model (untrained)',
          hint: 'It accepts BuildModel.model.',
        }),
      ]),
    )
  })

  it('offer the nodes that make the one from the other, or those that give what is taken', () => {
    const workflow = workflowOf(
      [node('train', 'TrainModel'), node('export', 'ExportPredictions'), node('split', 'DataSplit')],
      [connect('train.trained_model', 'export.predictions'), connect('export.export_path', 'split.dataset')],
    )
    const hints = issuesOf(workflow).filter(({ code }) => code === 'TYPE_MISMATCH')
    expect(hints.map(({ hint }) => hint)).toEqual([
      'Insert a node that converts the value: EvaluateModel, PredictCases.',
      expect.stringMatching(/^It accepts LoadDataset\.dataset, /),
    ])
  })

  it('distinguish configurations of different kinds', () => {
    const workflow = workflowOf(
      [node('fusion', 'SelectFusion'), node('build', 'BuildModel')],
      [connect('fusion.fusion_config', 'build.backbone_config')],
    )
    expect(issuesOf(workflow)).toContainEqual(
      expect.objectContaining({
        code: 'TYPE_MISMATCH',
        message:
          'output fusion_config is config (fusion), but input backbone_config accepts config (backbone)',
      }),
    )
  })

  it('come all at once', () => {
    const workflow = workflowOf(
      [
        node('a', 'LoadDatset'),
        node('b', 'DataSplit', { sed: 1 }),
        node('b', 'DataSplit'),
        node('c', 'EvaluateModel'),
      ],
      [connect('x.y', 'b.dataset'), connect('c.metrics', 'c.model')],
    )
    expect(new Set(issuesOf(workflow).map(({ code }) => code))).toEqual(
      new Set([
        'UNKNOWN_NODE_TYPE',
        'UNKNOWN_FIELD',
        'DUPLICATE_ID',
        'UNKNOWN_NODE',
        'SELF_LOOP',
        'MISSING_INPUT',
      ]),
    )
  })

  it('of a placeholder concern the placeholder alone, not its connections', () => {
    const workflow = workflowOf(
      [load, node('future', 'SegmentOrgans', { organ: 'liver' }), node('b', 'DataSplit')],
      [connect('load.dataset', 'future.anything'), connect('future.masks', 'b.dataset')],
    )
    expect(issuesOf(workflow).map(({ code, node }) => [code, node])).toEqual([
      ['UNKNOWN_NODE_TYPE', 'future'],
    ])
  })

  it('does not take a property of every object for a node type', () => {
    for (const type of ['constructor', 'toString', '__proto__'])
      expect(issuesOf(workflowOf([node('a', type)], []))[0]?.code).toBe('UNKNOWN_NODE_TYPE')
  })

  it('are found in a time that grows with the number of nodes, not with its square', () => {
    const microsecondsOf = (count: number) => {
      const ids = Array.from({ length: count }, (_, i) => `n${i}`)
      const workflow = workflowOf(
        ids.map((id) => node(id, 'DataSplt')),
        ids.map((id) => connect(`${id}x.y`, `${id}.dataset`)),
      )
      const times = Array.from({ length: 3 }, () => {
        const begin = process.cpuUsage()
        expect(hasErrors(issuesOf(workflow))).toBe(true)
        const { user, system } = process.cpuUsage(begin)
        return user + system
      })
      return Math.min(...times)
    }
    // Both are above 1,000, the limit for comparing a misspelled id with every id.
    const few = microsecondsOf(1100)
    // Eight times as long if linear, 64 times if quadratic.
    expect(microsecondsOf(8800) / few).toBeLessThan(25)
  })
})

it('every node of the catalog is valid by its defaults, but for what nobody can preset', () => {
  const nodes = Object.keys(NODES).map((type) => node(type, type))
  const missing = issuesOf(workflowOf(nodes, [])).filter(({ code }) => code !== 'MISSING_INPUT')
  expect(missing.map(({ code, path }) => `${code} ${path}`)).toEqual([
    'MISSING_FIELD nodes.LoadDataset.config.dataset_id',
    'MISSING_FIELD nodes.LoadImage.config.path',
    'MISSING_FIELD nodes.LoadTabular.config.path',
    'MISSING_FIELD nodes.FilterData.config.filter_condition',
  ])
})
