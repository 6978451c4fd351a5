import { describe, expect, it } from 'vitest'
import {
  BACKBONES,
  BASELINES,
  check,
  checkAssembled,
  chosenBaselines,
  findBackbone,
  TABLE_BASELINES,
  TrainingConfig,
  trainerConfig,
  withEarlierBehavior,
} from '../index.js'

const minimal = {
  data: { train_csv: 'train.csv', val_csv: 'val.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 8 },
}
type Config = Record<'data' | 'model' | 'training', Record<string, unknown>>
const changed = (section: keyof Config, values: Record<string, unknown>): Config => ({
  ...minimal,
  [section]: { ...minimal[section], ...values },
})
const issuesOf = (config: unknown) => {
  const checked = check(TrainingConfig, config, 'config')
  return checked.ok ? [] : checked.issues
}

describe('training configuration', () => {
  it('starts from the six fields of the specification and fills in every other key', () => {
    const checked = check(TrainingConfig, minimal)
    if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
    expect(checked.value.data.image_size).toEqual([224, 224])
    expect(checked.value.data.augmentation).toBe('light')
    expect(checked.value.data.horizontal_flip).toBe(false)
    expect(checked.value.training.early_stopping).toEqual({ monitor: 'auto', patience: null, min_delta: 0 })
    const holes = JSON.stringify(checked.value, (_, value) => (value === undefined ? 'HOLE' : value))
    expect(holes).not.toContain('HOLE')
  })

  it('takes rules of operating points that can be followed, each once', () => {
    const rules = (...operating_points: object[]) => issuesOf(changed('training', { operating_points }))
    const cost = { rule: 'cost', false_negative: 5, false_positive: 1 }
    expect(rules(cost, { rule: 'sensitivity', at_least: 0.95 })).toEqual([])
    expect(rules()).toEqual([])
    for (const wrong of [
      { rule: 'f1' },
      { rule: 'sensitivity' },
      { rule: 'specificity', at_least: 1 },
      { ...cost, false_positive: 0 },
    ])
      expect(rules(wrong), JSON.stringify(wrong)).toHaveLength(1)
    expect(rules(cost, cost)[0]?.path).toBe('config.training.operating_points')
  })

  it('is complete after one pass: what was filled in is accepted again and unchanged', () => {
    const once = TrainingConfig.parse(minimal)
    expect(TrainingConfig.parse(once)).toEqual(once)
  })

  it.each(['train_csv', 'vision_backbone', 'fusion_type', 'epochs', 'batch_size'])('requires %s', (key) => {
    const config = structuredClone(minimal) as unknown as Config
    for (const section of Object.values(config)) delete section[key]
    expect(issuesOf(config)).toMatchObject([
      { code: 'MISSING_FIELD', path: expect.stringMatching(`${key}$`) },
    ])
  })

  it('names every unknown key at once, each with the nearest known name', () => {
    const config = {
      ...changed('model', { hiden_dim: 3 }),
      training: { ...minimal.training, epoch: 3 },
      extra: 1,
    }
    expect(issuesOf(config)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: 'config.model.hiden_dim',
          code: 'UNKNOWN_FIELD',
          hint: 'Did you mean "hidden_dim"?',
          suggestion: 'hidden_dim',
        }),
        expect.objectContaining({ path: 'config.training.epoch', hint: 'Did you mean "epochs"?' }),
        expect.objectContaining({
          path: 'config.extra',
          hint: 'Known keys: data, model, training, baselines, report.',
        }),
      ]),
    )
  })

  it.each([
    ['training', 'epochs', 0],
    ['training', 'epochs', 1e9],
    ['training', 'epochs', 2.5],
    ['training', 'epochs', '3'],
    ['training', 'batch_size', -1],
    ['training', 'learning_rate', 0],
    ['training', 'learning_rate', Number.NaN],
    ['training', 'device', 'gpu'],
    ['training', 'seed', -1],
    ['model', 'dropout', 1],
    ['model', 'fusion_type', 'gatd'],
    ['model', 'pretrained', 3],
    ['data', 'image_size', [80]],
    ['data', 'image_size', [80, 8]],
    ['data', 'val_fraction', 0.9],
    ['data', 'train_csv', ''],
  ] as const)('refuses %s.%s = %s with its location', (section, key, value) => {
    const issues = issuesOf(changed(section, { [key]: value }))
    expect(issues.length).toBeGreaterThan(0)
    for (const issue of issues) expect(issue.path.startsWith(`config.${section}.${key}`)).toBe(true)
  })

  it('refuses a hidden_dim that attention heads do not divide, and proposes one that they do', () => {
    expect(issuesOf(changed('model', { fusion_type: 'cross_attention', hidden_dim: 130 }))).toMatchObject([
      { path: 'config.model.hidden_dim', hint: 'Use hidden_dim 132.' },
    ])
    expect(issuesOf(changed('model', { fusion_type: 'concatenate', hidden_dim: 130 }))).toEqual([])
  })

  it('refuses image sizes that a transformer cannot cut into patches', () => {
    expect(
      issuesOf({
        ...changed('model', { vision_backbone: 'ViT' }),
        data: { ...minimal.data, image_size: [90, 96] },
      }),
    ).toMatchObject([{ path: 'config.data.image_size', hint: 'Use [96, 96].' }])
  })

  it('refuses a model with nothing to learn from, and a fusion without an image', () => {
    expect(issuesOf(changed('model', { vision_backbone: 'none', fusion_type: 'none' }))).toMatchObject([
      { message: expect.stringContaining('the model has no input') },
    ])
    expect(issuesOf(changed('model', { vision_backbone: 'none', fusion_type: 'gated' }))).toMatchObject([
      { message: expect.stringContaining('"gated" fuses an image with a table') },
    ])
    expect(issuesOf(changed('model', { vision_backbone: 'none', fusion_type: 'concatenate' }))).toEqual([])
  })
})

describe('a key that contradicts others or would be without effect is refused, with what to write instead', () => {
  const regression = { vision_backbone: 'resnet18', fusion_type: 'gated', task: 'regression' }
  const idle: [string, Partial<Config>, string][] = [
    [
      'modality_dropout of the table alone',
      { model: { vision_backbone: 'none', fusion_type: 'concatenate', modality_dropout: 0.2 } },
      'model.modality_dropout',
    ],
    [
      'modality_dropout of the image alone',
      { model: { vision_backbone: 'resnet18', fusion_type: 'none', modality_dropout: 0.2 } },
      'model.modality_dropout',
    ],
    ['num_heads without attention', { model: { num_heads: 8 } }, 'model.num_heads'],
    [
      'modality_dropout of networks that learn by themselves',
      { model: { fusion_type: 'late', modality_dropout: 0.2 } },
      'model.modality_dropout',
    ],
    [
      'compiling several networks',
      { model: { fusion_type: 'late' }, training: { compile: 'on' } },
      'training.compile',
    ],
    ['a weight of the image in a joint model', { model: { image_weight: 1 } }, 'model.image_weight'],
    ['a share of a linear model in one network', { model: { linear_share: 0.5 } }, 'model.linear_share'],
    ['what members validate on without members', { data: { validation: 'split' } }, 'data.validation'],
    [
      'what one network of the table validates on',
      {
        data: { validation: 'folds' },
        model: { vision_backbone: 'none', fusion_type: 'concatenate', members: 1 },
      },
      'data.validation',
    ],
    [
      'a learning rate of a backbone that is frozen',
      { model: { freeze_layers: 'all' }, training: { backbone_learning_rate: 1e-4 } },
      'training.backbone_learning_rate',
    ],
    ['val_fraction beside val_csv', { data: { val_fraction: 0.3 } }, 'data.val_fraction'],
    [
      'no indicator where no statistic is filled in',
      { data: { missing_indicator: false, missing_strategy: 'drop' } },
      'data.missing_indicator',
    ],
    [
      'class weights of a regression',
      { model: regression, training: { class_weights: 'balanced' } },
      'training.class_weights',
    ],
    [
      'label smoothing of a regression',
      { training: { loss_function: 'mae', label_smoothing: 0.1 } },
      'training.label_smoothing',
    ],
    [
      'operating points of a number',
      { training: { loss_function: 'mae', operating_points: [{ rule: 'youden' }] } },
      'training.operating_points',
    ],
  ]
  const table = { vision_backbone: 'none', fusion_type: 'concatenate' }
  const wrong: [string, Partial<Config>, string][] = [
    ['members of a network that reads the image', { model: { members: 3 } }, 'model.members'],
    [
      'members in several processes',
      { model: { ...table, members: 3 }, training: { device: 'cpu:2' } },
      'training.device',
    ],
    [
      'late fusion in several processes',
      { model: { fusion_type: 'late' }, training: { device: 'cuda:0,1' } },
      'training.device',
    ],
    [
      'folds of cases that a trained model remembers',
      { data: { validation: 'folds' }, model: { ...table, fine_tune_from: 'job' } },
      'data.validation',
    ],
    [
      'folds where columns are chosen by the label',
      {
        data: { validation: 'folds', feature_selection: { method: 'univariate', keep: 2 } },
        model: table,
      },
      'data.validation',
    ],
    ['a warm-up as long as the training', { training: { warmup_epochs: 3 } }, 'training.warmup_epochs'],
    [
      'a metric of classes for a regression',
      { model: regression, training: { early_stopping: { monitor: 'val_auc' } } },
      'training.early_stopping.monitor',
    ],
    ['several labels without their columns', { model: { task: 'multilabel' } }, 'data.label_columns'],
    [
      'one label and several',
      { data: { label_column: 'a', label_columns: ['b', 'c'] } },
      'data.label_column',
    ],
    [
      'several labels as one of classes',
      { data: { label_columns: ['b', 'c'] }, model: { task: 'classification' } },
      'model.task',
    ],
    [
      'a positive class of several labels',
      { data: { label_columns: ['b', 'c'], positive_class: 'b' } },
      'data.positive_class',
    ],
    ['survival without an event', { data: { time_column: 'days' } }, 'data.event_column'],
    [
      'survival with a label',
      { data: { time_column: 'days', event_column: 'dead', label_column: 'a' } },
      'data.label_column',
    ],
    [
      'survival as one of classes',
      { data: { time_column: 'days', event_column: 'dead' }, model: { task: 'classification' } },
      'model.task',
    ],
    [
      'a loss of classes for survival',
      { data: { time_column: 'days', event_column: 'dead' }, training: { loss_function: 'focal' } },
      'training.loss_function',
    ],
    [
      'a metric of classes for survival',
      {
        data: { time_column: 'days', event_column: 'dead' },
        training: { early_stopping: { monitor: 'val_auc' } },
      },
      'training.early_stopping.monitor',
    ],
    ['a label twice', { data: { label_columns: ['b', 'b'] } }, 'data.label_columns'],
    [
      'a loss of numbers for several labels',
      { data: { label_columns: ['b', 'c'] }, training: { loss_function: 'mse' } },
      'training.loss_function',
    ],
    [
      'a metric of numbers for several labels',
      { data: { label_columns: ['b', 'c'] }, training: { early_stopping: { monitor: 'val_r2' } } },
      'training.early_stopping.monitor',
    ],
    [
      'a metric of numbers for classes',
      { model: { task: 'classification' }, training: { early_stopping: { monitor: 'val_mae' } } },
      'training.early_stopping.monitor',
    ],
  ]
  const configOf = ({ data, model, training }: Partial<Config>) => ({
    data: { ...minimal.data, ...data },
    model: { ...minimal.model, ...model },
    training: { ...minimal.training, ...training },
  })

  const issue = (path: string, code: string) => ({
    path: `config.${path}`,
    code,
    message: expect.any(String),
    hint: expect.any(String),
    message_phrases: expect.any(Array),
    hint_phrases: expect.any(Array),
  })

  it.each(wrong)('%s', (_, parts, path) => {
    const refusal = [issue(path, 'INVALID_CONFIG')]
    expect(issuesOf(configOf(parts))).toEqual(refusal)
    expect(checkAssembled(configOf(parts), 'config')).toEqual({ ok: false, issues: refusal })
  })

  it.each(idle)('%s, which is left out where nobody wrote the whole', (_, parts, path) => {
    expect(issuesOf(configOf(parts))).toEqual([issue(path, 'NO_EFFECT')])
    const [section = '', key = ''] = path.split('.')
    const without = structuredClone(configOf(parts)) as Config
    delete without[section as keyof Config][key]
    expect(checkAssembled(configOf(parts), 'config')).toEqual({
      ok: true,
      value: TrainingConfig.parse(without),
    })
  })

  it.each<[string, Partial<Config>]>([
    ['modality_dropout of image and table', { model: { modality_dropout: 0.2 } }],
    ['num_heads of an attention fusion', { model: { fusion_type: 'attention', num_heads: 8 } }],
    ['num_heads of a table transformer', { model: { tabular_encoder: 'ft_transformer', num_heads: 8 } }],
    ['num_heads of an aggregator', { model: { aggregator: 'cross_view', num_heads: 8 } }],
    [
      'keys of the half that an ablation leaves out',
      {
        data: { normalize: 'zscore', horizontal_flip: true },
        model: { vision_backbone: 'none', fusion_type: 'concatenate', num_heads: 8, freeze_layers: 2 },
      },
    ],
    [
      'a learning rate of a backbone that learns',
      { model: { freeze_layers: 2 }, training: { backbone_learning_rate: 1e-4 } },
    ],
    ['one network in several processes', { model: { ...table, members: 1 }, training: { device: 'cpu:2' } }],
    ['members of the table of late fusion', { model: { fusion_type: 'late', members: 3, image_weight: 1 } }],
    [
      'members and late fusion of several labels',
      { data: { label_columns: ['a', 'b'] }, model: { fusion_type: 'late', members: 3 } },
    ],
    [
      'members and late fusion of survival',
      { data: { time_column: 'days', event_column: 'dead' }, model: { fusion_type: 'late' } },
    ],
    ['members on the first GPU alone', { model: { ...table, members: 3 }, training: { device: 'cuda:0' } }],
    ['a warm-up that ends', { training: { warmup_epochs: 2.5 } }],
    ['no indicator beside a statistic', { data: { missing_indicator: false, missing_strategy: 'mean' } }],
    ['val_fraction without val_csv', { data: { val_csv: null, val_fraction: 0.3 } }],
    ['val_fraction of the rest of a fold', { data: { fold: { k: 5, index: 4 }, val_fraction: 0.3 } }],
    ['a site that is left out', { data: { fold: { column: 'site', value: 'A' } } }],
    ['a flip beside no other augmentation', { data: { augmentation: 'none', horizontal_flip: true } }],
  ])('but not %s', (_, parts) => expect(issuesOf(configOf(parts))).toEqual([]))
})

describe('parts of a configuration', () => {
  it.each([
    [{ k: 5, index: 5 }, 'config.data.fold.index'],
    [{ k: 1, index: 0 }, 'config.data.fold'],
    [{ column: 'site' }, 'config.data.fold'],
    [{ k: 5, index: 0, column: 'site', value: 'A' }, 'config.data.fold'],
  ])('refuses the fold %j', (fold, path) =>
    expect(issuesOf(changed('data', { train_csv: 't.csv', fold }))[0]?.path).toContain(path),
  )

  it.each(['none', 'light', 'medium', 'strong'])('augmentation may be named: %s', (augmentation) => {
    expect(issuesOf(changed('data', { train_csv: 't.csv', augmentation }))).toEqual([])
  })

  it('augmentation may be a list of methods with chance and intensity; defaults are filled in', () => {
    const checked = check(TrainingConfig, changed('data', { train_csv: 't.csv', augmentation: {} }))
    expect(checked.ok && checked.value.data.augmentation).toEqual({
      methods: ['rotation', 'crop', 'brightness', 'contrast'],
      probability: 0.5,
      intensity: 0.3,
    })
    for (const augmentation of [
      'much',
      { methods: [] },
      { methods: ['noise', 'noise'] },
      { probability: 1.1 },
      { strength: 1 },
    ])
      expect(issuesOf(changed('data', { train_csv: 't.csv', augmentation }))).not.toEqual([])
  })

  it('feature selection by rank needs a number of columns, the others take none', () => {
    const issues = (feature_selection: unknown) =>
      issuesOf(changed('data', { train_csv: 't.csv', feature_selection }))
    for (const method of ['none', 'variance']) {
      expect(issues({ method })).toEqual([])
      expect(issues({ method, keep: 3 })).toMatchObject([{ path: 'config.data.feature_selection.keep' }])
    }
    for (const method of ['univariate', 'mutual_information']) {
      expect(issues({ method, keep: 3 })).toEqual([])
      expect(issues({ method })).toMatchObject([{ path: 'config.data.feature_selection.keep' }])
    }
  })
})

describe('baselines', () => {
  const issues = (baselines: unknown, model = {}) =>
    issuesOf({ ...changed('model', model), baselines }).map(({ path, message, hint }) => ({
      path,
      text: `${message} ${hint ?? ''}`,
    }))
  const chosen = (model: object, baselines?: string[]) =>
    chosenBaselines(TrainingConfig.parse({ ...changed('model', { ...model }), baselines }))

  it('are inferred by default: two if the model reads a table, none otherwise', () => {
    const inferred = ['logistic_regression', 'random_forest']
    expect(chosen({})).toEqual(inferred)
    expect(chosen({ vision_backbone: 'none', fusion_type: 'concatenate' })).toEqual(inferred)
    expect(chosen({ fusion_type: 'none' })).toEqual([])
    expect(chosen({}, [])).toEqual([])
    const issuesOf = (data: object) =>
      chosenBaselines(TrainingConfig.parse({ ...minimal, data: { ...minimal.data, ...data } }))
    expect(issuesOf({ label_columns: ['a', 'b'] })).toEqual(inferred)
    expect(issuesOf({ label_columns: Array.from({ length: 21 }, (_, index) => `l${index}`) })).toEqual([
      'logistic_regression',
    ])
    expect(issuesOf({ time_column: 'days', event_column: 'dead' })).toEqual([
      'cox_regression',
      'random_forest',
    ])
    expect(chosen({}, ['table_only'])).toEqual(['table_only'])
  })

  it('are listed once each, by their names', () => {
    expect(issues(BASELINES.filter((name) => name !== 'cox_regression'))).toEqual([])
    expect(issues(['table_only', 'table_only'])).toMatchObject([{ path: 'config.baselines' }])
    expect(issues(['random_forrest'])).toMatchObject([{ path: 'config.baselines.0' }])
  })

  it.each([
    ['logistic_regression', { fusion_type: 'none' }, /Remove logistic_regression from baselines/],
    ['image_only', { fusion_type: 'none' }, /only the image/],
    ['table_only', { vision_backbone: 'none', fusion_type: 'concatenate' }, /only the table/],
    ['image_only', { fine_tune_from: 'resnet18_gated_001' }, /without the weights/],
  ])('%s is refused with %o', (name, model, text) => {
    expect(issues([name], model)).toMatchObject([
      { path: 'config.baselines', text: expect.stringMatching(text) },
    ])
  })

  it('of another task are refused with the one to name instead', () => {
    expect(issues(['cox_regression'])).toMatchObject([
      { path: 'config.baselines', text: expect.stringMatching(/Use logistic_regression instead/) },
    ])
    const data = { ...minimal.data, time_column: 'days', event_column: 'dead' }
    expect(issuesOf({ ...minimal, data, baselines: ['logistic_regression', 'random_forest'] })).toMatchObject(
      [{ path: 'config.baselines', hint: 'Use cox_regression instead.' }],
    )
    expect(issuesOf({ ...minimal, data, baselines: [...TABLE_BASELINES].slice(1) })).toEqual([])
  })

  it('are not part of a checkpoint, so a resume never meets others', () => {
    const config = TrainingConfig.parse({ ...minimal, baselines: ['random_forest'] })
    expect(trainerConfig(config)).toEqual(trainerConfig(TrainingConfig.parse(minimal)))
    expect(
      withEarlierBehavior({ ...config, data: { train_csv: 't.csv', missing_strategy: 'mean' } }),
    ).toMatchObject({
      baselines: ['random_forest'],
    })
  })
})

describe('backbones', () => {
  it('are 29, with names that mean one backbone each', () => {
    expect(BACKBONES).toHaveLength(29)
    const names = BACKBONES.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) =>
      name.toLowerCase(),
    )
    const byMeaning = new Map(names.map((name) => [name, findBackbone(name)?.name]))
    for (const { name, aliases } of BACKBONES)
      for (const alias of aliases) expect(byMeaning.get(alias.toLowerCase())).toBe(name)
  })

  it.each([
    ['ResNet50', 'resnet50'],
    ['EfficientNet', 'efficientnet_b0'],
    ['ViT', 'vit_base_patch16_224'],
    ['Swin', 'swin_tiny_patch4_window7_224'],
    ['regnet_y_400mf', 'regnety_004'],
  ])('%s means %s', (alias, name) => {
    const config = changed('model', { vision_backbone: alias })
    const checked = check(TrainingConfig, { ...config, data: { ...config.data, image_size: [224, 224] } })
    expect(checked.ok && checked.value.model.vision_backbone).toBe(name)
  })

  it('an unknown one is refused with the nearest name', () => {
    expect(issuesOf(changed('model', { vision_backbone: 'resnet81' }))).toMatchObject([
      { code: 'UNKNOWN_BACKBONE', hint: 'Did you mean "resnet18"?', suggestion: 'resnet18' },
    ])
  })
})
