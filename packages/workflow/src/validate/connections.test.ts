import { NODES, type NodeDefinition } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { workflowOf } from '../../testing/arithmetic.js'
import { connect } from '../../testing/examples.js'
import { infer } from '../infer/infer.js'
import { validate } from './validate.js'

const definitions = Object.entries(NODES) as [string, NodeDefinition][]
const outputs = definitions.flatMap(([type, node]) => node.outputs.map((port) => ({ type, port })))
const inputs = definitions.flatMap(([type, node]) => node.inputs.map((port) => ({ type, port })))

/** from ─► to, and the problems of that connection. */
function connected(from: (typeof outputs)[number], to: (typeof inputs)[number]) {
  const workflow = workflowOf(
    [
      { id: 'from', type: from.type, config: {} },
      { id: 'to', type: to.type, config: {} },
    ],
    [connect(`from.${from.port.name}`, `to.${to.port.name}`)],
  )
  return validate(workflow).issues.filter(({ connection }) => connection !== undefined)
}

const CASES = [
  'DataAugmentation.augmented_images',
  'DataSplit.test_dataset',
  'DataSplit.train_dataset',
  'DataSplit.val_dataset',
  'FilterData.filtered_dataset',
  'ImagePreprocess.processed_images',
  'LoadDataset.dataset',
  'LoadImage.images',
  'LoadTabular.dataframe',
  'MergeDatasets.merged_dataset',
  'TabularPreprocess.processed_data',
]
const PREDICTIONS = ['EvaluateModel.predictions', 'PredictCases.predictions']
const TRAINED = ['ResumeTraining.trained_model', 'TrainModel.trained_model']

/** Every input with the outputs that it accepts: any other would fail at run time. */
const ACCEPTED: Record<string, readonly string[]> = {
  'ImagePreprocess.images': CASES,
  'DataAugmentation.images': CASES,
  'TabularPreprocess.dataframe': CASES,
  'BuildModel.backbone_config': ['SelectBackbone.backbone_config'],
  'BuildModel.fusion_config': ['SelectFusion.fusion_config'],
  'BuildModel.aggregator_config': ['SelectAggregator.aggregator_config'],
  'TrainModel.model': ['BuildModel.model'],
  'TrainModel.train_dataset': ['ConfigureTraining.training_config', ...CASES],
  'TrainModel.val_dataset': CASES,
  'TrainModel.training_config': ['ConfigureTraining.training_config'],
  'ResumeTraining.checkpoint_path': ['TrainModel.best_checkpoint'],
  'ResumeTraining.train_dataset': CASES,
  'ResumeTraining.val_dataset': CASES,
  'EvaluateModel.model': TRAINED,
  'EvaluateModel.test_dataset': CASES,
  'VisualizeResults.metrics': ['EvaluateModel.metrics'],
  'VisualizeResults.confusion_matrix': ['EvaluateModel.confusion_matrix'],
  'VisualizeResults.training_history': ['ResumeTraining.training_history', 'TrainModel.training_history'],
  'GenerateReport.metrics': ['EvaluateModel.metrics'],
  'PredictCases.model': TRAINED,
  'PredictCases.cases': CASES,
  'GenerateReport.plots': ['VisualizeResults.plots'],
  'GenerateReport.model_summary': ['BuildModel.model_summary'],
  'SaveModel.model': TRAINED,
  'ExportPredictions.predictions': [...CASES, ...PREDICTIONS].sort(),
  'SaveWorkflow.workflow': outputs.map(({ type, port }) => `${type}.${port.name}`).sort(),
  'DataSplit.dataset': CASES,
  'MergeDatasets.dataset1': CASES,
  'MergeDatasets.dataset2': CASES,
  'MergeDatasets.dataset3': CASES,
  'FilterData.dataset': [...CASES, ...PREDICTIONS].sort(),
}

describe('of every output at every input', () => {
  it.each(inputs.map((to) => [`${to.type}.${to.port.name}`, to] as const))('%s', (name, to) => {
    const taken = outputs.filter((from) => connected(from, to).length === 0)
    // The others are errors that suggest compatible connections.
    for (const from of outputs)
      for (const issue of connected(from, to))
        expect(issue).toMatchObject({
          severity: 'error',
          code: 'TYPE_MISMATCH',
          hint: expect.stringMatching(/It accepts|Insert a node that converts|of the same node instead/),
        })
    expect(taken.map(({ type, port }) => `${type}.${port.name}`).sort()).toEqual(ACCEPTED[name])
  })
})

describe('predictions', () => {
  const node = (id: string, type: string, config: Record<string, unknown> = {}) => ({ id, type, config })
  const wrong = { filter_condition: 'correct == false' }
  const issues = (...[nodes, wires]: Parameters<typeof workflowOf>) =>
    validate(workflowOf(nodes, wires)).issues.filter(({ connection }) => connection !== undefined)

  //  evaluate ─► wrong ─► sure ─► export
  it('stay predictions behind filters, and are exported', () => {
    expect(
      issues(
        [
          node('evaluate', 'EvaluateModel'),
          node('wrong', 'FilterData', wrong),
          node('sure', 'FilterData', { filter_condition: 'probability_yes > 0.9' }),
          node('export', 'ExportPredictions'),
        ],
        [
          connect('evaluate.predictions', 'wrong.dataset'),
          connect('wrong.filtered_dataset', 'sure.dataset'),
          connect('sure.filtered_dataset', 'export.predictions'),
        ],
      ),
    ).toEqual([])
  })

  //  evaluate ─► wrong ─► split      load ─► wrong ─► export
  it('are not cases to learn from, also behind a filter; cases are exported like them', () => {
    const behind = (from: string, to: string) =>
      issues(
        [
          node('evaluate', 'EvaluateModel'),
          node('load', 'LoadTabular', { path: 't.csv' }),
          node('wrong', 'FilterData', wrong),
          node('split', 'DataSplit'),
          node('export', 'ExportPredictions'),
        ],
        [connect(from, 'wrong.dataset'), connect('wrong.filtered_dataset', to)],
      )
    expect(behind('evaluate.predictions', 'split.dataset')).toMatchObject([
      {
        code: 'TYPE_MISMATCH',
        message: 'output filtered_dataset is dataset (predictions), but input dataset accepts dataset',
        hint: expect.stringMatching(/^It accepts LoadDataset\.dataset, /),
      },
    ])
    expect(behind('load.dataframe', 'export.predictions')).toEqual([])
  })

  //  images ─────┐
  //              ├─► wrong
  //  evaluate ───┘
  it('are not joined with images', () => {
    expect(
      issues(
        [
          node('images', 'LoadImage', { path: 'i' }),
          node('evaluate', 'EvaluateModel'),
          node('wrong', 'FilterData', wrong),
        ],
        [connect('images.images', 'wrong.dataset'), connect('evaluate.predictions', 'wrong.dataset')],
      ),
    ).toMatchObject([{ code: 'PORT_OCCUPIED', node: 'wrong' }])
  })
})

describe('training data', () => {
  const node = (id: string, type: string, config: Record<string, unknown> = {}) => ({ id, type, config })
  const drawn = (...wires: ReturnType<typeof connect>[]) =>
    validate(
      workflowOf(
        [
          node('load', 'LoadDataset', { dataset_id: 'd' }),
          node('backbone', 'SelectBackbone'),
          node('fusion', 'SelectFusion'),
          node('build', 'BuildModel'),
          node('settings', 'ConfigureTraining', { epochs: 7 }),
          node('train', 'TrainModel'),
        ],
        [
          connect('backbone.backbone_config', 'build.backbone_config'),
          connect('fusion.fusion_config', 'build.fusion_config'),
          connect('build.model', 'train.model'),
          connect('load.dataset', 'train.train_dataset'),
          ...wires,
        ],
      ),
    )
  const AT_ONE_PORT = connect('settings.training_config', 'train.train_dataset')

  //  load ────┐
  //           ├─► train.train_dataset
  //  settings ┘
  it('may be connected to one port, cases and configuration', () => {
    const validated = drawn(AT_ONE_PORT)
    expect(validated.issues).toEqual([])
    expect(infer(validated).outputs.get('train')?.trained_model?.settings?.['training.epochs']).toMatchObject(
      {
        node: 'settings',
        value: 7,
      },
    )
  })

  it('have one configuration, which trains', () => {
    expect(
      drawn(AT_ONE_PORT, connect('settings.training_config', 'train.training_config')).issues,
    ).toMatchObject([{ code: 'PORT_OCCUPIED', port: 'training_config' }])
    expect(drawn(connect('load.metadata', 'train.train_dataset')).issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'TYPE_MISMATCH',
          hint: 'Connect "dataset" of the same node instead.',
        }),
        expect.objectContaining({ code: 'MISSING_INPUT', port: 'training_config' }),
      ]),
    )
  })
})

it('a trained model is not trained again, but continued', () => {
  const [issue] = connected(
    { type: 'TrainModel', port: NODES.TrainModel.outputs[0] },
    { type: 'TrainModel', port: NODES.TrainModel.inputs[0] },
  )
  expect(issue).toMatchObject({
    message: 'output trained_model is model (trained), but input model accepts model (untrained)',
    hint: expect.stringContaining('ResumeTraining'),
  })
})
