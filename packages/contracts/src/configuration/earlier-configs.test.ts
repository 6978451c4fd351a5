import { describe, expect, it } from 'vitest'
import {
  asSaved,
  asSent,
  checkAssembled,
  storedConfig,
  TrainerConfig,
  TrainingConfig,
  trainerConfig,
  withEarlierBehavior,
} from '../index.js'

const stored = (data: object) => ({
  data: { train_csv: 'train.csv', ...data },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 8, operating_points: [], conformal: null },
})
const indicator = (config: object) =>
  (config as { data: { missing_indicator?: boolean } }).data.missing_indicator

describe('a configuration that was stored before a key existed', () => {
  it('contains the earlier behavior if the default has changed', () => {
    const older = stored({ missing_strategy: 'mean' })
    expect(indicator(withEarlierBehavior(older))).toBe(false)
    expect(indicator(older)).toBeUndefined()
    expect(indicator(TrainingConfig.parse(older))).toBe(true)
  })

  it('of the loop too', () => {
    const older = { ...stored({}), training: { epochs: 3, batch_size: 8 } }
    expect(withEarlierBehavior(older)).toMatchObject({ training: { operating_points: [], conformal: null } })
    expect(TrainingConfig.parse(older).training.operating_points).toHaveLength(3)
  })

  it('has the initial missing token of 0.1.0 only if it was stored before there were several networks', () => {
    expect(withEarlierBehavior(stored({}))).toMatchObject({ model: { missing_token: 'random' } })
    const between = { ...stored({}), model: { ...stored({}).model, members: 1 } }
    expect(withEarlierBehavior(between)).not.toHaveProperty('model.missing_token')
  })

  it('is accepted as it is shown: a key without effect is left out', () => {
    const shown = withEarlierBehavior(stored({ missing_strategy: 'drop' }))
    expect(indicator(shown)).toBeUndefined()
    expect(TrainingConfig.safeParse(shown).success).toBe(true)
  })

  it('of one network stays one, whatever the default becomes', () => {
    const older = { ...stored({}), model: { vision_backbone: 'none', fusion_type: 'concatenate' } }
    expect((withEarlierBehavior(older) as { model: object }).model).toMatchObject({ members: 1 })
    expect(TrainingConfig.parse(older).model.members).toBeNull()
  })

  it('stays as it is where it has the key, and where another version cannot read it', () => {
    const newer = withEarlierBehavior(stored({ missing_strategy: 'mean', missing_indicator: true }))
    expect(withEarlierBehavior(newer)).toBe(newer)
    const wrong = withEarlierBehavior(stored({ missing_strategy: 'mean', forgotten: 1 }))
    expect(checkAssembled(wrong)).toMatchObject({ ok: false, issues: [{ path: 'data.forgotten' }] })
    expect(withEarlierBehavior({})).toEqual({})
  })
})

describe('a configuration in a file', () => {
  const today = trainerConfig(
    TrainingConfig.parse({
      data: { train_csv: 'train.csv' },
      model: { vision_backbone: 'none', fusion_type: 'concatenate' },
      training: { epochs: 3, batch_size: 8 },
    }),
  )
  const since = {
    data: [
      'fold',
      'validation',
      'label_columns',
      'time_column',
      'event_column',
      'positive_class',
      'slices',
      'missing_indicator',
    ],
    model: [
      'members',
      'linear_share',
      'missing_token',
      'image_weight',
      'survival_intervals',
      'fine_tune_from',
    ],
    training: ['compile', 'operating_points', 'conformal'],
  }
  // All keys in the config.yaml of a run of version 0.1.0.
  const older = Object.fromEntries(
    Object.entries(today).map(([section, keys]) => [
      section,
      Object.fromEntries(
        Object.entries(keys).filter(([key]) => !since[section as keyof typeof since].includes(key)),
      ),
    ]),
  )

  it('with all keys of an earlier release trains what it trained there', () => {
    const saved = asSaved(older)
    expect(saved).toMatchObject({ model: { members: 1 }, training: { compile: 'off', conformal: null } })
    expect(TrainingConfig.safeParse(saved).success).toBe(true)
    expect(TrainingConfig.parse(older).model.members).toBeNull()
  })

  it('with all keys of today, or with some of them, is left as it is', () => {
    expect(asSaved(today)).toBe(today)
    const short = { data: { train_csv: 't.csv' }, model: older.model, training: { epochs: 3, batch_size: 8 } }
    for (const config of [short, {}, { data: null, model: 3 }]) expect(asSaved(config)).toBe(config)
    const { dropout: _, ...model } = older.model as Record<string, unknown>
    expect(asSaved({ ...older, model })).not.toHaveProperty('model.members')
  })

  it('is taken for one of an earlier release in a request only if it has none of the keys that pin a default', () => {
    expect(asSent(older)).toEqual(asSaved(older))
    const reset = { ...older, model: { ...older.model, members: null } }
    expect(asSent(reset)).toBe(reset)
  })

  it('is judged by the keys that there are', () => {
    const known = Object.entries(TrainerConfig.shape).flatMap(([section, { shape }]) =>
      Object.keys(shape).map((key) => `${section}.${key}`),
    )
    for (const [section, keys] of Object.entries(since))
      for (const key of keys) expect(known).toContain(`${section}.${key}`)
  })
})

describe('the configuration of a job that an earlier version stored', () => {
  const older = { ...stored({}), model: { vision_backbone: 'none', fusion_type: 'concatenate' } }

  it('has every key that a response declares, and the baselines that it had: none', () => {
    const whole = storedConfig(older)
    expect(whole).toEqual(TrainingConfig.parse(whole))
    expect(whole).toMatchObject({ data: { fold: null }, model: { members: 1 }, baselines: [] })
    expect(storedConfig(whole)).toEqual(whole)
  })

  it('is shown as it is where it is not valid any more', () => {
    expect(storedConfig(stored({ forgotten: 1 }))).toMatchObject({ data: { forgotten: 1 } })
  })
})
