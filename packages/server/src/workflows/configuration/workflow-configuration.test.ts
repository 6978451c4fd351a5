import { TrainingConfig, type Workflow, workflowOfTraining } from '@medloom/contracts'
import { infer, validate } from '@medloom/workflow'
import { describe, expect, it } from 'vitest'
import { configurationOf } from './workflow-configuration.js'

function configuration(workflow: Workflow, places: Readonly<Record<string, object>> = {}) {
  const validated = validate(workflow)
  const { inputs, issues } = infer(validated)
  expect([...validated.issues, ...issues].filter(({ severity }) => severity === 'error')).toEqual([])
  const find = async (_: string, path: string) => ({ path, ...places[path] })
  return configurationOf('train', { validated, inputs, find })
}

const given = (changes: { data?: object; model?: object; training?: object; baselines?: object } = {}) =>
  TrainingConfig.parse({
    data: { train_csv: '/data/train.csv', val_csv: '/data/val.csv', ...changes.data },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated', task: 'classification', ...changes.model },
    training: { epochs: 7, batch_size: 24, ...changes.training },
    ...(changes.baselines ? { baselines: changes.baselines } : {}),
  })

describe('the configuration of a TrainModel node', () => {
  it.each([
    ['the shortest', given()],
    ['without a validation table', given({ data: { val_csv: null } })],
    [
      'with settings of every node',
      given({
        data: {
          image_size: [64, 48],
          normalize: 'zscore',
          scaling: 'robust',
          missing_strategy: 'mean',
          label_column: 'label',
          patient_column: 'patient',
          ignore_columns: ['biopsed'],
        },
        model: { hidden_dim: 64, task: 'regression', dropout: 0.3 },
        training: { optimizer: 'sgd', learning_rate: 0.01, scheduler: 'none' },
      }),
    ],
    ['of a table only', given({ model: { vision_backbone: 'none', fusion_type: 'concatenate' } })],
    ['of images only', given({ model: { fusion_type: 'none' } })],
  ])('%s equals the one from which its workflow was created', async (_, config) => {
    const { workflow, lost } = workflowOfTraining(config, 'round trip')
    expect(lost).toEqual([])
    const { config: again, unsaid } = await configuration(workflow)
    expect(unsaid).toEqual([])
    expect(again).toEqual(config)
  })

  it('lists settings without a key: cases selected by a split, a filter or a part', async () => {
    const { workflow } = workflowOfTraining(given({ data: { val_csv: null } }), '')
    const load = workflow.nodes.find(({ id }) => id === 'training-data')
    if (load) load.config = { ...load.config, split: 'train', shuffle: true }
    workflow.nodes.push({
      id: 'adults',
      type: 'FilterData',
      position: { x: 0, y: 0 },
      config: { filter_condition: 'age >= 18' },
    })
    for (const connection of workflow.connections)
      if (connection.source === 'training-data')
        Object.assign(connection, { source: 'adults', source_port: 'filtered_dataset' })
    workflow.connections.push({
      id: 'to-filter',
      source: 'training-data',
      source_port: 'dataset',
      target: 'adults',
      target_port: 'dataset',
    })
    const { config, unsaid } = await configuration(workflow)
    expect(config.data.train_csv).toBe('/data/train.csv')
    expect(unsaid.map(({ node, field }) => [node, field])).toEqual([
      ['adults', null],
      ['training-data', 'split'],
      ['adults', 'filter_condition'],
      ['training-data', 'shuffle'],
    ])
  })

  it('contains the column settings of a registered dataset', async () => {
    const { workflow } = workflowOfTraining(given(), '')
    const place = { label_columns: ['diagnosis'], patient_column: 'who', ignore_columns: ['late'] }
    const { config } = await configuration(workflow, { '/data/train.csv': place })
    expect(config.data).toMatchObject({
      label_column: 'diagnosis',
      patient_column: 'who',
      ignore_columns: ['late'],
    })
  })
})
