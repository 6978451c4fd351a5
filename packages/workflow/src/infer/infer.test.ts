import type { Dataset, OutsideKnowledge } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { workflowOf } from '../../testing/arithmetic.js'
import { connect, training } from '../../testing/examples.js'
import { infer, validate } from '../index.js'

/** Knowledge of the service about a registered dataset. */
const column = (name: string, role: Dataset['columns'][number]['role']) => ({
  name,
  role,
  missing: 0,
  distinct: 50,
  reason: '',
})
const REGISTERED: Dataset = {
  dataset_id: 'pad',
  name: 'pad',
  owner: null,
  created_at: '2026-01-01T00:00:00Z',
  path: 'pad.csv',
  kind: 'multimodal',
  columns: [column('photo', 'image'), column('age', 'numeric'), column('sex', 'categorical')],
  num_cases: 100,
  num_patients: null,
  task: 'classification',
  classes: [
    { name: 'no', count: 60 },
    { name: 'yes', count: 40 },
  ],
  missing: {},
  splits: { train: 80, test: 20 },
  digest: '',
  readiness: { status: 'ready', checks: [] },
}
const WITHOUT_IMAGES: Partial<Dataset> = { kind: 'tabular', columns: REGISTERED.columns.slice(1) }
const outside = (changes: Partial<Dataset> = {}): OutsideKnowledge => ({
  datasets: new Map(['pad', 'elsewhere', 'd'].map((id) => [id, { ...REGISTERED, ...changes }])),
})
const node = (id: string, type: string, config: Record<string, unknown> = {}) => ({ id, type, config })
const inferred = (workflow: ReturnType<typeof training>, dataset: Partial<Dataset> = {}) =>
  infer(validate(workflow), outside(dataset))

describe('inference', () => {
  //  load ─► images (64 × 64) ─► split ─► train
  it('knows columns, classes, cases and shapes before anything runs', () => {
    const { outputs, issues } = inferred(training())
    expect(issues).toEqual([])
    expect(outputs.get('images')?.processed_images).toMatchObject({
      type: 'image',
      images: true,
      table: true,
      columns: ['age', 'sex'],
      shape: [100, 3, 64, 64],
    })
    expect(outputs.get('split')?.train_dataset).toMatchObject({
      type: 'dataset',
      cases: 70,
      classes: ['no', 'yes'],
    })
    expect(outputs.get('evaluate')?.confusion_matrix).toMatchObject({ shape: [2, 2] })
  })

  it('knows of a split of a dataset its own cases, and no column that was left out', () => {
    const { outputs } = inferred(training({ load: { split: 'test' } }), { ignore_columns: ['sex'] })
    expect(outputs.get('load')?.dataset).toMatchObject({ cases: 20, columns: ['age'] })
    const otherwise = inferred(training({ load: { label_column: 'sex', ignore_columns: ['age'] } }), {
      task: null,
    })
    expect(otherwise.outputs.get('load')?.dataset).toMatchObject({ columns: ['sex'], labels: true })
    expect(otherwise.outputs.get('load')?.dataset?.classes).toBeUndefined()
    expect(inferred(training({ load: { label_column: 'sexx' } })).issues).toMatchObject([
      { code: 'COLUMN_NOT_FOUND', node: 'load', field: 'label_column', hint: 'Did you mean "sex"?' },
    ])
  })

  it('gathers what the nodes set into one training configuration', () => {
    const settings = inferred(training()).outputs.get('train')?.trained_model?.settings
    expect(settings).toMatchObject({
      'data.image_size': { node: 'images', field: 'resize', value: [64, 64] },
      'model.vision_backbone': { node: 'backbone', value: 'resnet18' },
      'training.optimizer': { node: 'configure', value: 'adamw' },
      'training.epochs': { value: 3 },
    })
  })

  //  images ─┐
  //          ├─► split      images from the one, table from the other
  //  table ──┘
  it('joins images and a table into both facets', () => {
    const workflow = workflowOf(
      [
        node('images', 'LoadImage', { path: 'i' }),
        node('table', 'LoadTabular', { path: 't' }),
        node('split', 'DataSplit'),
      ],
      [connect('images.images', 'split.dataset'), connect('table.dataframe', 'split.dataset')],
    )
    expect(inferred(workflow).outputs.get('split')?.val_dataset).toMatchObject({ images: true, table: true })
  })

  it.each([
    [
      'heads that do not divide the width',
      { fusion: { strategy: 'attention', hidden_dim: 130 } },
      'fusion',
      'hidden_dim',
      'Use hidden_dim 132.',
    ],
    [
      'a size that the backbone cannot cut',
      { backbone: { model_name: 'ViT' }, images: { resize: { width: 90, height: 96 } } },
      'images',
      'resize',
      'Use [96, 96].',
    ],
    [
      'a loss of the other task',
      { build: { task_type: 'regression' }, configure: { loss_function: 'focal' } },
      'configure',
      'loss_function',
      'Use mse, mae or huber.',
    ],
  ])('applies the rules of the training configuration across nodes: %s', (_, changes, node, field, hint) => {
    expect(inferred(training(changes)).issues).toMatchObject([{ node, field, hint, severity: 'error' }])
  })

  //  fusion (heads of another strategy) ─► build ─► train
  it('warns of a field that the chosen strategy does not use, and lets the run begin', () => {
    const { issues } = inferred(training({ fusion: { strategy: 'concatenate', num_heads: 2 } }))
    expect(issues).toMatchObject([
      { node: 'fusion', field: 'num_heads', code: 'NO_EFFECT', severity: 'warning' },
    ])
  })

  it('names facets that the model reads and the data lack', () => {
    const { issues } = inferred(training(), { ...WITHOUT_IMAGES, task: null, classes: null })
    expect(new Set(issues.map(({ code, port }) => `${code} ${port}`))).toEqual(
      new Set([
        'FACET_MISSING images',
        'FACET_MISSING train_dataset',
        'FACET_MISSING val_dataset',
        'FACET_MISSING test_dataset',
      ]),
    )
    expect(issues.map(({ message }) => message).join()).toMatch(
      /no images, but the backbone reads images.*no labels/,
    )
    expect(
      inferred(
        training({ backbone: { model_name: 'none' }, fusion: { strategy: 'concatenate' } }),
        WITHOUT_IMAGES,
      ).issues,
    ).toMatchObject([{ node: 'images', port: 'images' }])
  })

  // load ─► images ─► table        a typical first workflow: the table is passed on with the images of a dataset
  it('lets images be read as the table of their cases, unless they were loaded without one', () => {
    const chain = (source: ReturnType<typeof node>, from: string) =>
      workflowOf(
        [source, node('images', 'ImagePreprocess'), node('table', 'TabularPreprocess')],
        [connect(from, 'images.images'), connect('images.processed_images', 'table.dataframe')],
      )
    const drawn = chain(node('load', 'LoadDataset', { dataset_id: 'd' }), 'load.dataset')
    expect([...validate(drawn).issues, ...inferred(drawn).issues]).toEqual([])
    const alone = chain(node('load', 'LoadImage', { path: 'i' }), 'load.images')
    expect(inferred(alone).issues).toMatchObject([
      {
        code: 'FACET_MISSING',
        node: 'table',
        port: 'dataframe',
        message: expect.stringContaining('no table'),
      },
    ])
  })

  //  load ─► images (64) ─► (split) ─► train.train_dataset
  //  load ─► other (32) ─────────────► train.val_dataset
  it.each([
    ['split', 'train_dataset'],
    ['images', 'processed_images'],
  ])('names two nodes that set one key differently (%s.%s is trained on)', (source, source_port) => {
    const workflow = training()
    workflow.nodes.push({
      ...node('other', 'ImagePreprocess', { resize: { width: 32, height: 32 }, augmentation: 'none' }),
      position: { x: 0, y: 0 },
    })
    const rewired = {
      ...workflow,
      connections: [
        ...workflow.connections
          .filter(({ target_port }) => target_port !== 'val_dataset')
          .map((one) => (one.target_port === 'train_dataset' ? { ...one, source, source_port } : one)),
        { id: 'x', ...connect('load.dataset', 'other.images') },
        { id: 'y', ...connect('other.processed_images', 'train.val_dataset') },
      ],
    }
    const conflicts = inferred(rewired).issues.filter(({ code }) => code === 'CONFLICTING_SETTINGS')
    expect(conflicts).toMatchObject([
      {
        code: 'CONFLICTING_SETTINGS',
        node: 'other',
        field: 'resize',
        message: expect.stringContaining('data.image_size'),
      },
    ])
  })

  //  load ─► images (64) ─► split ─► train ─► evaluate
  //               held ─► other (…) ────────────┘
  const testedOn = (images: object, table: object = {}, changes = {}) => {
    const workflow = training(changes)
    const more = workflowOf(
      [
        node('held', 'LoadDataset', { dataset_id: 'elsewhere' }),
        node('other', 'ImagePreprocess', { ...images }),
        node('table', 'TabularPreprocess', { ...table }),
      ],
      [
        connect('held.dataset', 'other.images'),
        connect('held.dataset', 'table.dataframe'),
        connect('other.processed_images', 'evaluate.test_dataset'),
        connect('table.processed_data', 'evaluate.test_dataset'),
      ],
    )
    return inferred({
      ...workflow,
      nodes: [...workflow.nodes, ...more.nodes],
      connections: [
        ...workflow.connections.filter(({ target_port }) => target_port !== 'test_dataset'),
        ...more.connections,
      ],
    }).issues
  }
  const size = (width: number) => ({ resize: { width, height: 64 } })

  it('names what a test branch sets otherwise than the training did, which would be without effect', () => {
    expect(testedOn({ ...size(32), normalize: 'minmax', augmentation: 'strong' })).toMatchObject([
      {
        code: 'CONFLICTING_SETTINGS',
        severity: 'error',
        node: 'other',
        field: 'resize',
        port: 'test_dataset',
      },
      { code: 'CONFLICTING_SETTINGS', node: 'other', field: 'normalize' },
    ])
    expect(testedOn(size(64))).toEqual([])
  })

  it('also where the training branch leaves the default, which the test branch may repeat', () => {
    expect(testedOn(size(64), { missing_strategy: 'drop' })).toMatchObject([
      {
        code: 'CONFLICTING_SETTINGS',
        node: 'table',
        field: 'missing_strategy',
        message: expect.stringContaining('but the training uses the default'),
      },
    ])
    expect(testedOn({}, {}, { images: { resize: { width: 224, height: 224 } } })).toEqual([])
  })

  it('knows a column that a filter names is not there, and one that is', () => {
    const filter = (column: string) =>
      workflowOf(
        [
          node('load', 'LoadDataset', { dataset_id: 'd' }),
          node('f', 'FilterData', { filter_condition: '> 1', filter_column: column }),
        ],
        [connect('load.dataset', 'f.dataset')],
      )
    expect(inferred(filter('aeg')).issues).toMatchObject([
      { code: 'COLUMN_NOT_FOUND', hint: 'Did you mean "age"?', field: 'filter_column' },
    ])
    expect(inferred(filter('age')).issues).toEqual([])
    expect(inferred(filter('age')).outputs.get('f')?.filtered_dataset?.cases).toBeUndefined()
  })

  //  images ─┬─────────► (train, test)      a folder of images has no labels,
  //          └─ table ─┘                    unless a table that may have them is joined
  it.each(['train.train_dataset', 'evaluate.test_dataset'])(
    'knows that images alone have no labels: %s',
    (input) => {
      const [node_id = '', port = ''] = input.split('.')
      const drawn = (table: boolean) => {
        const workflow = training()
        const more = workflowOf(
          [node('folder', 'LoadImage', { path: 'i' }), node('table', 'LoadTabular', { path: 't.csv' })],
          [connect('folder.images', input), ...(table ? [connect('table.dataframe', input)] : [])],
        )
        const connections = workflow.connections.filter(
          ({ target, target_port }) => target !== node_id || target_port !== port,
        )
        return inferred({
          ...workflow,
          nodes: [...workflow.nodes, ...more.nodes],
          connections: [...connections, ...more.connections],
        }).issues.filter(({ code, node }) => code === 'FACET_MISSING' && node === node_id)
      }
      expect(drawn(false)).toContainEqual(
        expect.objectContaining({ port, message: expect.stringContaining('no labels') }),
      )
      expect(drawn(true)).toEqual([])
    },
  )

  //  split (nothing for validation) ─► train
  it('names an input at which no case arrives', () => {
    const nothing = { split: { train_ratio: 0.8, val_ratio: 0, test_ratio: 0.2 } }
    expect(inferred(training(nothing)).issues).toMatchObject([
      { severity: 'error', code: 'DATASET_INVALID', node: 'train', port: 'val_dataset' },
    ])
  })
})

// load (pad) ─► train ─► tune ◄─ other (another registered dataset)
describe('a model that is fine-tuned', () => {
  const tuned = (other: Partial<Dataset>, config: Record<string, unknown> = { mode: 'fine_tune' }) => {
    const drawn = training()
    const workflow = workflowOf(
      [
        ...drawn.nodes,
        node('other', 'LoadDataset', { dataset_id: 'elsewhere' }),
        node('tune', 'ResumeTraining', config),
      ],
      [
        ...drawn.connections,
        connect('train.best_checkpoint', 'tune.checkpoint_path'),
        connect('other.dataset', 'tune.train_dataset'),
        connect('other.dataset', 'tune.val_dataset'),
      ],
    )
    const datasets = new Map([
      ['pad', REGISTERED],
      ['elsewhere', { ...REGISTERED, ...other }],
    ])
    return infer(validate(workflow), { datasets })
  }
  const codesAt = (found: ReturnType<typeof tuned>) =>
    found.issues
      .filter(({ node }) => node === 'tune')
      .map(({ code, port, severity }) => [code, port, severity])

  it('takes further data with the same columns and classes, and is known to predict these', () => {
    const found = tuned({})
    expect(found.issues).toEqual([])
    expect(found.outputs.get('tune')?.trained_model).toMatchObject({ classes: ['no', 'yes'] })
  })

  it('cannot take data with other classes, or with a number to predict', () => {
    const others = { classes: ['grade 1', 'grade 2'].map((name) => ({ name, count: 1 })) }
    const both = [
      ['CHECKPOINT_MISMATCH', 'train_dataset', 'error'],
      ['CHECKPOINT_MISMATCH', 'val_dataset', 'error'],
    ]
    expect(codesAt(tuned(others))).toEqual(both)
    expect(codesAt(tuned({ task: 'regression', classes: null }))).toEqual(both)
    expect(tuned(others).issues[0]?.hint).toContain('TrainModel')
  })

  it('is warned of columns that the data lack', () => {
    const found = tuned({ columns: REGISTERED.columns.filter(({ name }) => name !== 'sex') })
    expect(codesAt(found)).toEqual([
      ['COLUMN_NOT_FOUND', 'train_dataset', 'warning'],
      ['COLUMN_NOT_FOUND', 'val_dataset', 'warning'],
    ])
    expect(found.issues[0]?.message).toContain('do not have the columns sex')
  })

  it('cannot take data without the images that it reads', () => {
    const found = codesAt(tuned(WITHOUT_IMAGES))
    expect(found).toContainEqual(['FACET_MISSING', 'train_dataset', 'error'])
  })

  it('continues with the learning rate of its training', () => {
    const found = tuned({}, { mode: 'continue', learning_rate: 0.1 })
    expect(found.issues.find(({ node }) => node === 'tune')).toMatchObject({
      code: 'NO_EFFECT',
      field: 'learning_rate',
      hint: expect.stringContaining('fine_tune'),
    })
  })
})
