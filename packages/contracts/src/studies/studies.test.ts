import { describe, expect, it } from 'vitest'
import {
  check,
  foldPlace,
  METRICS,
  StudyConfig,
  studyMetrics,
  studyTrainings,
  trainingOfStudy,
  variantConfig,
} from '../index.js'

const base = {
  data: { train_csv: 'train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 4, seed: 7 },
}
const checked = (study: object) => check(StudyConfig, { config: base, ...study })
const issuesOf = (study: object) => {
  const result = checked(study)
  return result.ok ? [] : result.issues
}
const valid = (study: object) => {
  const result = checked(study)
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.value
}
const gated = { name: 'gated' }
const bilinear = { name: 'bilinear', config: { model: { fusion_type: 'bilinear' } } }

describe('a study', () => {
  it('needs a configuration alone: one training with its seed', () => {
    const study = valid({})
    expect(studyTrainings(study, [null])).toEqual([{ variant: 'base', seed: 7, fold: null, trial: null }])
  })

  it('counts seeds from 0, or takes a list of them', () => {
    const seedsOf = (seeds: unknown) => studyTrainings(valid({ seeds }), [null]).map(({ seed }) => seed)
    expect(seedsOf(3)).toEqual([0, 1, 2])
    expect(seedsOf([5, 3])).toEqual([5, 3])
  })

  it('trains every variant of a seed and fold before the next', () => {
    const study = valid({ seeds: 2, folds: { k: 2 }, variants: [gated, bilinear] })
    const folds = [0, 1].map((index) => ({ k: 2, index, repeat: 0, seed: 0 }))
    const trainings = studyTrainings(study, folds)
    expect(trainings.map(({ variant, seed, fold }) => [seed, foldPlace(fold).fold, variant])).toEqual([
      [0, 0, 'gated'],
      [0, 0, 'bilinear'],
      [0, 1, 'gated'],
      [0, 1, 'bilinear'],
      [1, 0, 'gated'],
      [1, 0, 'bilinear'],
      [1, 1, 'gated'],
      [1, 1, 'bilinear'],
    ])
    expect(trainingOfStudy(study, trainings[7] as never)).toMatchObject({
      data: { fold: { k: 2, index: 1, repeat: 0, seed: 0 }, train_csv: 'train.csv' },
      model: { vision_backbone: 'resnet18', fusion_type: 'bilinear' },
      training: { seed: 1, epochs: 3 },
    })
  })

  it.each([
    [
      'an unknown key of a variant',
      [{ name: 'a', config: { model: { fusion_typ: 'none' } } }],
      'UNKNOWN_FIELD',
    ],
    [
      'a value that no key takes',
      [{ name: 'a', config: { model: { fusion_type: 'gatet' } } }],
      'INVALID_VALUE',
    ],
    [
      'keys that contradict',
      [{ name: 'a', config: { model: { hidden_dim: 7, fusion_type: 'attention' } } }],
      'INVALID_CONFIG',
    ],
    ['a key without effect', [{ name: 'a', config: { model: { num_heads: 2 } } }], 'NO_EFFECT'],
  ])('names the place of %s', (_, variants, code) => {
    const [issue] = issuesOf({ variants })
    expect(issue?.code).toBe(code)
    expect(issue?.path).toMatch(/^variants\.0\.config\.model\./)
    expect(issue?.hint).toBeTruthy()
  })

  it('guesses what a mistyped key of a variant means', () => {
    const variants = [gated, { name: 'b', config: { model: { fusion_typ: 'none' } } }]
    expect(issuesOf({ variants })).toEqual([
      expect.objectContaining({
        path: 'variants.1.config.model.fusion_typ',
        hint: 'Did you mean "fusion_type"?',
      }),
    ])
  })

  it('refuses identical variants, also those that are written differently', () => {
    const same = { name: 'same', config: { model: { fusion_type: 'gated', hidden_dim: 256 } } }
    const complete = variantConfig(valid({}).config, {})
    const { hidden_dim } = (complete as { value: { model: { hidden_dim: number } } }).value.model
    same.config.model.hidden_dim = hidden_dim
    expect(issuesOf({ variants: [gated, same] })).toEqual([
      expect.objectContaining({ path: 'variants.1', message: expect.stringContaining('"gated"') }),
    ])
  })

  it.each([
    ['two variants of one name', { variants: [gated, { ...bilinear, name: 'gated' }] }, 'variants.1.name'],
    ['a seed twice', { seeds: [1, 2, 1] }, 'seeds.2'],
    ['no seeds', { seeds: 0 }, 'seeds'],
    ['folds of neither sort', { folds: {} }, 'folds'],
    ['folds of both sorts', { folds: { k: 3, column: 'site' } }, 'folds'],
    ['repeats of a column', { folds: { column: 'site', repeats: 2 } }, 'folds.repeats'],
    ['values without a column', { folds: { k: 3, values: ['a'] } }, 'folds.values'],
    ['a value twice', { folds: { column: 'site', values: ['a', 'a'] } }, 'folds.values.1'],
    ['one fold', { folds: { k: 1 } }, 'folds.k'],
    ['a metric that there is not', { metric: 'aux' }, 'metric'],
    ['a reference that is not a variant', { variants: [gated, bilinear], reference: 'gate' }, 'reference'],
    [
      'a fold in the base',
      { config: { ...base, data: { ...base.data, fold: { k: 2, index: 0 } } } },
      'config.data.fold',
    ],
    ['an unknown key', { seed: 3 }, 'seed'],
  ])('refuses %s', (_, study, path) => {
    expect(issuesOf(study).map((issue) => issue.path)).toEqual([path])
  })

  it('refuses a metric of another task', () => {
    const config = { ...base, model: { ...base.model, task: 'regression' } }
    expect(issuesOf({ config, metric: 'auc' })).toEqual([
      expect.objectContaining({ path: 'metric', message: 'auc is not a metric of the task regression' }),
    ])
    const survival = { ...base.data, time_column: 'days', event_column: 'dead' }
    for (const [metric, { tasks }] of Object.entries(METRICS).filter(([name]) =>
      studyMetrics(null).includes(name),
    ))
      for (const task of tasks) {
        const data = task === 'survival' ? survival : base.data
        if (task !== 'multilabel')
          valid({ config: { ...base, data, model: { ...base.model, task } }, metric })
      }
  })

  it.each(['training.seed', 'data.fold', 'data.train_csv', 'data.label_column', 'report', 'baselines'])(
    'keeps %s from variants',
    (key) => {
      const [section = '', name] = key.split('.')
      const config = { [section]: name ? { [name]: 'x' } : {} }
      expect(issuesOf({ variants: [{ name: 'a', config }] }).map(({ path }) => path)).toEqual([
        `variants.0.config.${key}`,
      ])
    },
  )

  it('is limited, and the message contains its number of trainings', () => {
    const [issue] = issuesOf({ seeds: 100, folds: { k: 10, repeats: 2 }, variants: [gated, bilinear] })
    expect(issue?.message).toContain('4000 trainings (2 variants × 100 seeds × 20 folds)')
    expect(issuesOf({ seeds: 100, folds: { k: 10 }, variants: [gated, bilinear] })).toEqual([])
  })

  it('lets a key of the base rest that a variant makes idle', () => {
    const config = { ...base, model: { ...base.model, modality_dropout: 0.2 } }
    const study = valid({
      config,
      variants: [gated, { name: 'image', config: { model: { fusion_type: 'none' } } }],
    })
    const [both, image] = studyTrainings(study, [null]).map((one) => trainingOfStudy(study, one))
    expect(both?.model.modality_dropout).toBe(0.2)
    expect(image?.model.modality_dropout).toBe(0)
  })

  it.each([
    ['absent: what is inferred', undefined, undefined, null],
    ['those of the configuration', ['random_forest'], undefined, ['random_forest']],
    ['its own', ['random_forest'], ['logistic_regression'], ['logistic_regression']],
    ['none', undefined, [], []],
  ])(
    'fits its baselines once for each seed and fold, with the first variant that reads the table: %s',
    (_, inBase, own, fitted) => {
      const image = { name: 'image', config: { model: { fusion_type: 'none' } } }
      const config = { ...base, ...(inBase ? { baselines: inBase } : {}) }
      const study = valid({ config, variants: [image, gated, bilinear], ...(own ? { baselines: own } : {}) })
      const found = studyTrainings(study, [null]).map((one) => trainingOfStudy(study, one).baselines)
      expect(found).toEqual([[], fitted, []])
    },
  )

  it('refuses baselines that no variant can carry', () => {
    const image = { name: 'image', config: { model: { fusion_type: 'none' } } }
    const table = {
      name: 'table',
      config: { model: { vision_backbone: 'none', fusion_type: 'concatenate' } },
    }
    expect(issuesOf({ variants: [image], baselines: ['random_forest'] })).toEqual([
      expect.objectContaining({ path: 'baselines', message: 'no variant reads the table' }),
    ])
    const invalid = { name: 'invalid', config: { 'model.hidden_dim': 8 } }
    expect(issuesOf({ variants: [invalid], baselines: ['random_forest'] })).toEqual([
      expect.objectContaining({ code: 'UNKNOWN_FIELD' }),
    ])
    expect(issuesOf({ variants: [table], baselines: ['image_only'] })).toEqual([
      expect.objectContaining({ path: 'baselines', message: expect.stringContaining('only the table') }),
    ])
    expect(issuesOf({ variants: [table, gated], baselines: ['image_only'] })).toEqual([])
  })

  it('keeps a key named __proto__ out of the base', () => {
    const config = JSON.parse('{"model": {"__proto__": {"dropout": 1}}}')
    expect(issuesOf({ variants: [{ name: 'a', config }] })).toEqual([
      expect.objectContaining({ code: 'UNKNOWN_FIELD' }),
    ])
  })
})
