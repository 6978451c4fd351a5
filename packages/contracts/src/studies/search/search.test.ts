import { describe, expect, it } from 'vitest'
import {
  check,
  foldPlace,
  randomTrials,
  StudyConfig,
  searchedConfig,
  searchMetric,
  sizeOfSpace,
  studyTrainings,
  trainingOfStudy,
} from '../../index.js'

const base = {
  data: { train_csv: 'train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 4, seed: 7 },
}
const RATE = { low: 1e-4, high: 1e-2, log: true }
const SPACE = { 'training.learning_rate': RATE, 'model.dropout': [0, 0.2] }
const checked = (search: object, study: object = {}) =>
  check(StudyConfig, {
    config: base,
    search: { sampler: 'tpe', trials: 2, space: SPACE, ...search },
    ...study,
  })
const valid = (search: object, study: object = {}) => {
  const result = checked(search, study)
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.value
}
const issuesOf = (search: object, study: object = {}) => {
  const result = checked(search, study)
  return result.ok ? [] : result.issues
}

describe('a search', () => {
  it('adds its trials to every seed and fold, after the variants', () => {
    const study = valid({ trials: 2 }, { folds: { k: 2 } })
    const folds = [0, 1].map((index) => ({ k: 2, index, repeat: 0, seed: 0 }))
    const found = studyTrainings(study, folds).map(({ variant, fold, trial }) => [
      foldPlace(fold).fold,
      variant,
      trial,
    ])
    expect(found).toEqual([
      [0, 'base', null],
      [0, 'search', 0],
      [0, 'search', 1],
      [1, 'base', null],
      [1, 'search', 0],
      [1, 'search', 1],
    ])
  })

  it('of a grid has as many trials as there are settings', () => {
    const space = {
      'model.dropout': [0, 0.1, 0.2],
      'model.hidden_dim': { low: 8, high: 32, int: true, step: 8 },
    }
    expect(sizeOfSpace(space)).toBe(12)
    expect(sizeOfSpace({ a: { low: 0.1, high: 0.5, step: 0.1 } })).toBe(5)
    expect(sizeOfSpace({ a: { low: 0, high: 1 } })).toBe(Number.POSITIVE_INFINITY)
    const study = valid({ sampler: 'grid', trials: null, space })
    expect(studyTrainings(study, [null])).toHaveLength(13)
    expect(issuesOf({ sampler: 'grid', trials: 12, space })).toEqual([])
  })

  it('lays the settings of a trial over the base, with the seed and fold of its place', () => {
    const study = valid({ space: { 'training.early_stopping.patience': [1, 2], 'model.dropout': [0, 0.2] } })
    const [carrier, trial] = studyTrainings(study, [{ k: 2, index: 1, repeat: 0, seed: 0 }])
    const settings = { 'training.early_stopping.patience': 2, 'model.dropout': 0 }
    expect(trainingOfStudy(study, trial as never, settings)).toMatchObject({
      data: { fold: { index: 1 } },
      model: { dropout: 0, fusion_type: 'gated' },
      training: { early_stopping: { patience: 2, monitor: 'auto' }, seed: 7 },
      baselines: [],
    })
    expect(trainingOfStudy(study, carrier as never).baselines).toBeNull()
  })

  it('lets a key rest that another key makes idle', () => {
    const space = { 'model.fusion_type': ['gated', 'attention'], 'model.num_heads': [2, 8] }
    valid({ sampler: 'grid', trials: null, space })
    const { checked, idle } = searchedConfig(valid({}).config, {
      'model.fusion_type': 'gated',
      'model.num_heads': 2,
    })
    expect([checked.ok, idle]).toEqual([true, ['model.num_heads']])
  })

  it('chooses by what chooses the epoch, or by the metric that is named', () => {
    const { config, search } = valid({ metric: 'val_auc' })
    expect(searchMetric(config, search as never)).toEqual({ metric: 'val_auc', better: 'higher' })
    expect(searchMetric(config, { metric: 'auto' })).toEqual({ metric: 'val_loss', better: 'lower' })
    const monitored = valid(
      {},
      { config: { ...base, training: { ...base.training, early_stopping: { monitor: 'val_auc' } } } },
    )
    expect(searchMetric(monitored.config, { metric: 'auto' }).metric).toBe('val_auc')
  })

  it('may be the variant that others are compared with', () => {
    expect(valid({ name: 'tuned' }, { reference: 'tuned' }).reference).toBe('tuned')
  })

  it.each<[string, object, string, string]>([
    [
      'a mistyped key',
      { space: { 'model.dropuot': [0, 1] } },
      'search.space.model.dropuot',
      'Did you mean "dropout"?',
    ],
    [
      'a mistyped section',
      { space: { 'modle.dropout': [0, 1] } },
      'search.space.modle.dropout',
      'Did you mean "model"?',
    ],
    [
      'a mistyped choice',
      { space: { 'training.optimizer': ['adam', 'adamv'] } },
      'search.space.training.optimizer',
      'Did you mean "adam"?',
    ],
    ['a value out of range', { space: { 'model.dropout': [0, 7] } }, 'search.space.model.dropout', ''],
    [
      'a range out of range',
      { space: { 'model.dropout': { low: 0.5, high: 2 } } },
      'search.space.model.dropout',
      '',
    ],
    [
      'whole numbers without int',
      { space: { 'training.batch_size': { low: 4, high: 64 } } },
      'search.space.training.batch_size',
      'Add "int": true to the range.',
    ],
    [
      'a range upside down',
      { space: { 'model.dropout': { low: 0.5, high: 0.1 } } },
      'search.space.model.dropout.high',
      '',
    ],
    [
      'the logarithm of 0',
      { space: { 'model.dropout': { low: 0, high: 0.1, log: true } } },
      'search.space.model.dropout.low',
      '',
    ],
    [
      'steps of a logarithm',
      { space: { 'model.dropout': { low: 0.1, high: 0.5, log: true, step: 0.1 } } },
      'search.space.model.dropout.step',
      'Remove step or log.',
    ],
    [
      'half whole numbers',
      { space: { 'training.batch_size': { low: 1.5, high: 8, int: true } } },
      'search.space.training.batch_size.low',
      '',
    ],
    ['no values', { space: { 'model.dropout': 0.1 } }, 'search.space.model.dropout', ''],
    [
      'one choice',
      { space: { 'model.dropout': [0.1] } },
      'search.space.model.dropout',
      'Add another choice, or set the value in the base configuration.',
    ],
    [
      'a choice twice',
      { space: { 'model.dropout': [0, 0.1, 0] } },
      'search.space.model.dropout.2',
      'Remove one of them.',
    ],
    ['no keys', { space: {} }, 'search.space', ''],
    [
      'a key and a part of it',
      {
        space: {
          'training.early_stopping': [{}, { patience: 1 }],
          'training.early_stopping.patience': [1, 2],
        },
      },
      'search.space.training.early_stopping.patience',
      'Remove one of them.',
    ],
    [
      'a key of the study',
      { space: { 'training.seed': [0, 1] } },
      'search.space.training.seed',
      'Set "seeds" of the study.',
    ],
    [
      'the size of validation',
      { space: { 'data.val_fraction': [0.1, 0.2] } },
      'search.space.data.val_fraction',
      'Set it in the base configuration.',
    ],
    [
      'cases that are left out',
      { space: { 'data.missing_strategy': ['token', 'drop'] } },
      'search.space.data.missing_strategy.1',
      'Remove it.',
    ],
    [
      'a file',
      { space: { 'model.pretrained': ['a.pt', 'b.pt'] } },
      'search.space.model.pretrained',
      'Use "variants" for it.',
    ],
    [
      'a key without effect',
      { space: { 'model.num_heads': [2, 4] } },
      'search.space.model.num_heads',
      'Remove it.',
    ],
    ['a grid over any number', { sampler: 'grid', trials: null }, 'search.space.training.learning_rate', ''],
    [
      'less trials than the grid',
      { sampler: 'grid', trials: 1, space: { 'model.dropout': [0, 0.1] } },
      'search.trials',
      'Remove trials, or use the sampler random.',
    ],
    [
      'more trials than settings',
      { sampler: 'random', trials: 3, space: { 'model.dropout': [0, 0.1] } },
      'search.trials',
      'Use at most 2 trials, or widen the space.',
    ],
    ['no trials', { trials: null }, 'search.trials', ''],
    [
      'losses that are not one',
      { space: { 'training.label_smoothing': [0, 0.1] } },
      'search.metric',
      'Use val_auc, val_accuracy, val_mae or val_r2.',
    ],
    ['what a pruner alone reads', { startup_trials: 3 }, 'search.startup_trials', ''],
    ['an unknown sampler', { sampler: 'bayes' }, 'search.sampler', ''],
    ['an unknown metric', { metric: 'val_auk' }, 'search.metric', 'Did you mean "val_auc"?'],
    ['the name of a variant', { name: 'base' }, 'search.name', ''],
  ])('is refused for %s, with its place', (_, search, path, hint) => {
    const [issue, ...others] = issuesOf(search)
    expect([issue?.path, others]).toEqual([path, []])
    if (hint) expect(issue?.hint).toBe(hint)
  })

  it('is refused for a metric of another task', () => {
    const config = { ...base, model: { ...base.model, task: 'regression' } }
    expect(issuesOf({ metric: 'val_auc' }, { config }).map(({ path }) => path)).toEqual(['search.metric'])
    valid({ metric: 'val_r2' }, { config })
  })

  it('is refused for contradictory settings, which the message names', () => {
    const space = { 'model.fusion_type': ['gated', 'attention'], 'model.hidden_dim': [63, 64] }
    const [issue] = issuesOf({ sampler: 'grid', trials: null, space })
    expect(issue?.path).toBe('search.space.model.hidden_dim')
    expect(issue?.message).toMatch(/^63: /)
  })

  it('counts its trials among the trainings', () => {
    const [issue] = issuesOf({ trials: 100 }, { seeds: 5, folds: { k: 5 } })
    expect(issue?.message).toContain('2525 trainings ((1 variant + 100 trials) × 5 seeds × 5 folds)')
  })

  it.each([
    [1, 1],
    [6, 2],
    [20, 7],
    [100, 10],
  ])('of %i trials by TPE draws %i at random', (trials, random) => {
    expect(randomTrials(trials)).toBe(random)
  })

  it('looks at a large space in an instant', () => {
    const many = Array.from({ length: 1000 }, (_, index) => index / 2000)
    const space = { 'model.dropout': many, 'training.weight_decay': many, 'training.learning_rate': RATE }
    const began = performance.now()
    valid({ space })
    expect(performance.now() - began).toBeLessThan(5000)
    // Every choice is tried, whatever their number.
    expect(issuesOf({ space: { ...space, 'model.dropout': [...many, 7] } })[0]?.path).toBe(
      'search.space.model.dropout',
    )
  })
})
