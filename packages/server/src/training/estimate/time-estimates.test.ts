import { TrainingConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import type { EarlierTraining } from './earlier-trainings.repository.js'
import { estimateTime } from './time-estimates.js'

const config = (changes: { data?: object; model?: object; training?: object } = {}) =>
  TrainingConfig.parse({
    data: { train_csv: '/data/train.csv', image_size: [64, 64], ...changes.data },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated', ...changes.model },
    training: { epochs: 10, batch_size: 8, ...changes.training },
  })

/** 10 epochs of 4 s on 100 cases, and 5 s outside of the epochs. */
const earlier = (trainedConfig = config(), facts: Partial<EarlierTraining> = {}): EarlierTraining => ({
  job_id: '00000000-0000-4000-8000-000000000001',
  config: trainedConfig,
  prepared: { splits: { train: { cases: 100 } }, volumes: null } as never,
  seconds: 45,
  epochs: 10,
  epochSeconds: 4,
  ...facts,
})

describe('the estimated duration of a training', () => {
  it('equals that of an identical earlier training, whatever its seed and learning rate', () => {
    const again = config({ training: { epochs: 10, batch_size: 8, seed: 7, learning_rate: 0.5 } })
    expect(estimateTime(again, null, [earlier()])).toEqual({
      seconds: 45,
      low_seconds: 45,
      high_seconds: 45,
      basis: 'same',
      jobs: ['00000000-0000-4000-8000-000000000001'],
      reason: null,
    })
  })

  it('increases with epochs and cases, but the time outside of the epochs does not', () => {
    const longer = config({ training: { epochs: 30, batch_size: 8 } })
    expect(estimateTime(longer, null, [earlier()]).seconds).toBe(5 + 30 * 4)
    expect(estimateTime(config(), 50, [earlier()]).seconds).toBe(5 + 10 * 2)
  })

  it('increases with the pixels of an image, based on another training with the same backbone', () => {
    const larger = config({ data: { image_size: [128, 128] } })
    expect(estimateTime(larger, 100, [earlier()])).toMatchObject({ seconds: 5 + 10 * 16, basis: 'similar' })
  })

  it('counts the networks of a table', () => {
    const configOf = (members: number) => ({
      ...config(),
      model: {
        ...config().model,
        vision_backbone: 'none' as const,
        fusion_type: 'concatenate' as const,
        members,
      },
    })
    expect(estimateTime(configOf(5), 100, [earlier(configOf(1))]).seconds).toBe(5 + 10 * 20)
  })

  it('is the median of several, within their range; identical trainings come before similar ones', () => {
    const trainings = [40, 45, 80].map((seconds) => earlier(config(), { seconds }))
    const other = earlier(config({ data: { train_csv: '/data/other.csv' } }), { seconds: 4000 })
    expect(estimateTime(config(), null, [other, ...trainings])).toMatchObject({
      seconds: 45,
      low_seconds: 40,
      high_seconds: 80,
    })
  })

  it('is unknown, with a reason, if nothing comparable was trained or the cases are not counted', () => {
    expect(estimateTime(config(), 100, [])).toMatchObject({
      seconds: null,
      reason: expect.stringContaining('resnet18'),
      reason_phrases: [{ code: 'no_comparable_training' }],
    })
    const elsewhere = config({ data: { train_csv: '/data/other.csv' } })
    expect(estimateTime(elsewhere, null, [earlier()])).toMatchObject({
      seconds: null,
      reason: 'The number of training cases is not known yet.',
    })
  })

  it('increases with the epochs even outside of them, if baselines are networks', () => {
    const ablated = { ...config(), baselines: ['image_only' as const] }
    const longer = { ...ablated, training: { ...ablated.training, epochs: 20 } }
    expect(estimateTime(longer, null, [earlier(ablated)]).seconds).toBe(90)
  })
})
