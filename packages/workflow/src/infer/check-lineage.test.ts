import type { Workflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { workflowOf } from '../../testing/arithmetic.js'
import { runToCompletion } from '../cooperative-steps.js'
import { validate } from '../validate/validate.js'
import { checkLineage } from './check-lineage.js'

/** id → type and config; wires are written "load.dataset > split.dataset". */
function draw(nodes: Record<string, [string, Record<string, unknown>?]>, wires: string[]): Workflow {
  return workflowOf(
    Object.entries(nodes).map(([id, [type, config = {}]]) => ({ id, type, config })),
    wires.map((wire) => {
      const [source = '', source_port = '', target = '', target_port = ''] = wire.split(/[. >]+/)
      return { source, source_port, target, target_port }
    }),
  )
}
const issues = (workflow: Workflow) =>
  runToCompletion(checkLineage(validate(workflow))).map(({ code, node, severity }) => [code, node, severity])

const LOAD: [string, Record<string, unknown>] = ['LoadDataset', { dataset_id: 'd' }]
const evaluated = (
  nodes: Record<string, [string, Record<string, unknown>?]>,
  train: string,
  test: string,
  wires: string[] = [],
) =>
  issues(
    draw({ ...nodes, train: ['TrainModel'], test: ['EvaluateModel'] }, [
      `${train} > train.train_dataset`,
      `${test} > test.test_dataset`,
      'train.trained_model > test.model',
      ...wires,
    ]),
  )
const LEAK = [['DATASET_LEAK', 'test', 'error']]

it('a model may predict what it was trained on, which is a warning', () => {
  const predicted = (cases: string) =>
    issues(
      draw({ load: LOAD, split: ['DataSplit'], train: ['TrainModel'], predict: ['PredictCases'] }, [
        'load.dataset > split.dataset',
        'split.train_dataset > train.train_dataset',
        'train.trained_model > predict.model',
        `${cases} > predict.cases`,
      ]),
    )
  const known = [['DATASET_LEAK', 'predict', 'warning']]
  expect([predicted('split.train_dataset'), predicted('load.dataset')]).toEqual([known, known])
  expect(predicted('split.test_dataset')).toEqual([])
})

describe('a model is not tested on what it was trained on', () => {
  //   load ─► train ─► test      load ─► test
  it('the same set', () => expect(evaluated({ load: LOAD }, 'load.dataset', 'load.dataset')).toEqual(LEAK))

  it('the same set, loaded by another node', () =>
    expect(evaluated({ load: LOAD, again: LOAD }, 'load.dataset', 'again.dataset')).toEqual(LEAK))

  it('a part of the set that it was trained on, whatever was done to the images', () =>
    expect(
      evaluated(
        { load: LOAD, split: ['DataSplit'], images: ['ImagePreprocess'] },
        'load.dataset',
        'images.processed_images',
        ['load.dataset > split.dataset', 'split.test_dataset > images.images'],
      ),
    ).toEqual(LEAK))

  //   load ─► split ─► train      load ─► test
  it('the whole set of which it was trained on a part', () =>
    expect(
      evaluated({ load: LOAD, split: ['DataSplit'] }, 'split.train_dataset', 'load.dataset', [
        'load.dataset > split.dataset',
      ]),
    ).toEqual(LEAK))

  //   load ─► split ─► train, test
  it('another part of one split is fine, the same part is not', () => {
    const split = (train: string, test: string) =>
      evaluated({ load: LOAD, split: ['DataSplit'] }, `split.${train}`, `split.${test}`, [
        'load.dataset > split.dataset',
      ])
    expect(split('train_dataset', 'test_dataset')).toEqual([])
    expect(split('train_dataset', 'train_dataset')).toEqual(LEAK)
  })

  it('splits of the set that were registered are apart', () => {
    const part = (split: string): [string, Record<string, unknown>] => [
      'LoadDataset',
      { dataset_id: 'd', split },
    ]
    expect(evaluated({ a: part('train'), b: part('test') }, 'a.dataset', 'b.dataset')).toEqual([])
    expect(evaluated({ a: part('all'), b: part('test') }, 'a.dataset', 'b.dataset')).toEqual(LEAK)
    expect(evaluated({ a: part('train'), b: part('all') }, 'a.dataset', 'b.dataset')).toEqual(LEAK)
  })

  it('validation counts as seen, also after merging', () =>
    expect(
      evaluated(
        {
          load: LOAD,
          split: ['DataSplit'],
          other: ['LoadDataset', { dataset_id: 'o' }],
          both: ['MergeDatasets'],
        },
        'split.train_dataset',
        'both.merged_dataset',
        [
          'load.dataset > split.dataset',
          'split.val_dataset > train.val_dataset',
          'other.dataset > both.dataset1',
          'split.val_dataset > both.dataset2',
        ],
      ),
    ).toEqual(LEAK))

  it('what a filter keeps is not known before it runs', () =>
    expect(
      evaluated(
        { load: LOAD, keep: ['FilterData', { filter_condition: 'a' }] },
        'load.dataset',
        'keep.filtered_dataset',
        ['load.dataset > keep.dataset'],
      ),
    ).toEqual([]))
})

describe('a training is continued with the cases that it was trained on', () => {
  //   load ─► split ─► train ─► again (with what arrives there)
  const continued = (validation: readonly string[], train: string, val: string, mode = 'continue') =>
    issues(
      draw(
        {
          load: LOAD,
          split: ['DataSplit'],
          other: ['DataSplit'],
          train: ['TrainModel'],
          again: ['ResumeTraining', { mode }],
        },
        [
          'load.dataset > split.dataset',
          'load.dataset > other.dataset',
          'split.train_dataset > train.train_dataset',
          ...validation.map((from) => `${from} > train.val_dataset`),
          'train.best_checkpoint > again.checkpoint_path',
          `${train} > again.train_dataset`,
          `${val} > again.val_dataset`,
        ],
      ),
    )
  const VAL = 'split.val_dataset'

  it('the same', () => expect(continued([VAL], 'split.train_dataset', VAL)).toEqual([]))

  it.each([
    ['other data', [VAL], 'other.train_dataset', VAL],
    ['more data', [VAL], 'load.dataset', VAL],
    ['validation data that the training drew by itself', [], 'split.train_dataset', VAL],
  ])('not %s', (_, validation, train, val) =>
    expect(continued(validation, train, val)).toEqual([['CHECKPOINT_MISMATCH', 'again', 'error']]),
  )

  it('or fine-tuned with others', () => {
    expect(continued([VAL], 'other.train_dataset', VAL, 'fine_tune')).toEqual([])
    expect(continued([], 'split.train_dataset', VAL, 'fine_tune')).toEqual([])
  })

  it('and the remedy names that mode', () => {
    const other = draw(
      {
        load: LOAD,
        more: ['LoadDataset', { dataset_id: 'm' }],
        train: ['TrainModel'],
        again: ['ResumeTraining'],
      },
      [
        'load.dataset > train.train_dataset',
        'train.best_checkpoint > again.checkpoint_path',
        'more.dataset > again.train_dataset',
        'more.dataset > again.val_dataset',
      ],
    )
    const [issue] = runToCompletion(checkLineage(validate(other)))
    expect(issue?.hint).toContain('set mode of "again" to "fine_tune"')
  })
})

//   load ─► train ─► tune (on more) ─► test
describe('a fine-tuned model has seen what both trainings had', () => {
  const tested = (on: string, tune: Record<string, unknown> = {}) =>
    issues(
      draw(
        {
          load: LOAD,
          more: ['LoadDataset', { dataset_id: 'm' }],
          split: ['DataSplit'],
          other: ['LoadDataset', { dataset_id: 'o' }],
          train: ['TrainModel'],
          tune: ['ResumeTraining', { mode: 'fine_tune', ...tune }],
          test: ['EvaluateModel'],
        },
        [
          'load.dataset > train.train_dataset',
          'more.dataset > split.dataset',
          'train.best_checkpoint > tune.checkpoint_path',
          'split.train_dataset > tune.train_dataset',
          'split.val_dataset > tune.val_dataset',
          'tune.trained_model > test.model',
          `${on} > test.test_dataset`,
        ],
      ),
    )

  it.each(['load.dataset', 'split.train_dataset', 'split.val_dataset'])('not to be tested: %s', (on) =>
    expect(tested(on)).toEqual(LEAK),
  )

  it.each(['other.dataset', 'split.test_dataset'])('new to it: %s', (on) => expect(tested(on)).toEqual([]))

  it('a warning where the fine-tuning allows it', () =>
    expect(tested('split.val_dataset', { allow_leakage: true })).toEqual([
      ['DATASET_LEAK', 'test', 'warning'],
    ]))
})

//   load ─► train (leaks are allowed) ─► test      load ─► test
it('where the training allows a leak, it is a warning; else the error names the field that would', () => {
  const found = (train: Record<string, unknown>) =>
    runToCompletion(
      checkLineage(
        validate(
          draw({ load: LOAD, train: ['TrainModel', train], test: ['EvaluateModel'] }, [
            'load.dataset > train.train_dataset',
            'load.dataset > test.test_dataset',
            'train.trained_model > test.model',
          ]),
        ),
      ),
    )
  expect(found({ allow_leakage: true })).toMatchObject([{ code: 'DATASET_LEAK', severity: 'warning' }])
  expect(found({})).toMatchObject([
    { severity: 'error', hint: expect.stringContaining('To evaluate anyway, set allow_leakage of "train".') },
  ])
})

it('statistics fitted above a split are a warning at the node that fits them', () =>
  expect(
    issues(
      draw({ load: LOAD, table: ['TabularPreprocess'], split: ['DataSplit'] }, [
        'load.dataset > table.dataframe',
        'table.processed_data > split.dataset',
      ]),
    ),
  ).toEqual([['FITTED_ABOVE_SPLIT', 'table', 'warning']]))
