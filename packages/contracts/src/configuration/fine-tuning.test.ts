import { describe, expect, it } from 'vitest'
import { fineTuned, KEPT_KEYS, TrainingConfig } from '../index.js'

type Sections = { [S in keyof TrainingConfig]?: Record<string, unknown> }
const configOf = ({ data, model, training }: Sections = {}): TrainingConfig =>
  TrainingConfig.parse({
    data: { train_csv: 'new.csv', ...data },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated', ...model },
    training: { epochs: 3, batch_size: 8, ...training },
  })

const TRAINED = configOf({
  data: {
    train_csv: 'old.csv',
    image_size: [64, 64],
    numeric_columns: ['age', 'size'],
    label_column: 'malignant',
    patient_column: 'patient',
    augmentation: 'strong',
  },
  model: { hidden_dim: 64, dropout: 0.5, task: 'classification', freeze_layers: 2 },
  training: { learning_rate: 0.1, seed: 4 },
})

describe('a fine-tuning', () => {
  it('takes over missing keys on which the weights depend from the trained model, and no others', () => {
    const { config, issues } = fineTuned(configOf(), TRAINED)
    expect(issues).toEqual([])
    for (const { section, key } of KEPT_KEYS)
      expect((config[section] as Record<string, unknown>)[key], key).toEqual(
        (TRAINED[section] as Record<string, unknown>)[key],
      )
    const { train_csv, patient_column, augmentation } = config.data
    expect({ train_csv, patient_column, augmentation }).toEqual({
      train_csv: 'new.csv',
      patient_column: null,
      augmentation: 'light',
    })
    expect(config.model).toMatchObject({ hidden_dim: 64, dropout: 0.1, freeze_layers: 0 })
    expect(config.training).toEqual(configOf().training)
  })

  it('keeps what the weights depend on, and no key of the training loop', () => {
    expect(KEPT_KEYS.map(({ section, key }) => `${section}.${key}`)).toEqual([
      'data.image_columns',
      'data.label_column',
      'data.label_columns',
      'data.time_column',
      'data.event_column',
      'data.positive_class',
      'data.numeric_columns',
      'data.categorical_columns',
      'data.image_size',
      'data.normalize',
      'data.window',
      'data.slices',
      'data.missing_strategy',
      'data.missing_indicator',
      'data.scaling',
      'data.categorical_encoding',
      'data.feature_selection',
      'model.vision_backbone',
      'model.fusion_type',
      'model.members',
      'model.linear_share',
      'model.task',
      'model.survival_intervals',
      'model.image_dim',
      'model.tabular_encoder',
      'model.hidden_dim',
      'model.num_heads',
      'model.aggregator',
      'model.missing_view',
    ])
  })

  it('is refused if the configuration differs, with the location and the valid value of each key', () => {
    const { issues } = fineTuned(
      configOf({ data: { image_size: [96, 96], scaling: 'robust' }, model: { vision_backbone: 'resnet50' } }),
      TRAINED,
    )
    expect(issues.map(({ path, code }) => [path, code])).toEqual([
      ['config.data.image_size', 'CHECKPOINT_MISMATCH'],
      ['config.data.scaling', 'CHECKPOINT_MISMATCH'],
      ['config.model.vision_backbone', 'CHECKPOINT_MISMATCH'],
    ])
    expect(issues[0]?.message).toBe('is [96,96], but the trained model has [64,64]')
    expect(issues[0]?.hint).toContain('set it to [64,64]')
  })

  it('may name the same columns in another order', () => {
    const { config, issues } = fineTuned(configOf({ data: { numeric_columns: ['size', 'age'] } }), TRAINED)
    expect(issues).toEqual([])
    expect(config.data.numeric_columns).toEqual(['age', 'size'])
  })

  it('of a model that reads no image does not require image columns', () => {
    const table = { vision_backbone: 'none', fusion_type: 'concatenate' }
    const { issues } = fineTuned(
      configOf({ data: { image_columns: ['photo'] }, model: table }),
      configOf({ model: table }),
    )
    expect(issues).toEqual([])
  })
})
