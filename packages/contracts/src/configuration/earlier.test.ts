import { describe, expect, it } from 'vitest'
import { checkAssembled, TrainingConfig, withWhatWasDone } from '../index.js'

const stored = (data: object) => ({
  data: { train_csv: 'train.csv', ...data },
  model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  training: { epochs: 3, batch_size: 8, operating_points: [], conformal: null },
})
const indicator = (config: object) =>
  (config as { data: { missing_indicator?: boolean } }).data.missing_indicator

describe('a configuration that was stored before a key existed', () => {
  it('says what was done then, where the default is something else', () => {
    const older = stored({ missing_strategy: 'mean' })
    expect(indicator(withWhatWasDone(older))).toBe(false)
    expect(indicator(older)).toBeUndefined()
    expect(indicator(TrainingConfig.parse(older))).toBe(true)
  })

  it('of the loop too', () => {
    const older = { ...stored({}), training: { epochs: 3, batch_size: 8 } }
    expect(withWhatWasDone(older)).toMatchObject({ training: { operating_points: [], conformal: null } })
    expect(TrainingConfig.parse(older).training.operating_points).toHaveLength(3)
  })

  it('is accepted as it is shown: a key without effect is left out', () => {
    const shown = withWhatWasDone(stored({ missing_strategy: 'drop' }))
    expect(indicator(shown)).toBeUndefined()
    expect(TrainingConfig.safeParse(shown).success).toBe(true)
  })

  it('of one network stays one, whatever the default becomes', () => {
    const older = { ...stored({}), model: { vision_backbone: 'none', fusion_type: 'concatenate' } }
    expect((withWhatWasDone(older) as { model: object }).model).toMatchObject({ members: 1 })
    expect(TrainingConfig.parse(older).model.members).toBeNull()
  })

  it('stays as it is where it has the key, and where another version cannot read it', () => {
    const newer = withWhatWasDone(stored({ missing_strategy: 'mean', missing_indicator: true }))
    expect(withWhatWasDone(newer)).toBe(newer)
    const wrong = withWhatWasDone(stored({ missing_strategy: 'mean', forgotten: 1 }))
    expect(checkAssembled(wrong)).toMatchObject({ ok: false, issues: [{ path: 'data.forgotten' }] })
    expect(withWhatWasDone({})).toEqual({})
  })
})
