import study from '@medloom/contracts/study.schema.json'
import configuration from '@medloom/contracts/training-config.schema.json'
import { describe, expect, it } from 'vitest'
import { isComplete } from './complete'
import type { Schema } from './schema'

const CONFIG = {
  data: { train_csv: 'train.csv' },
  model: { vision_backbone: 'none', fusion_type: 'concatenate' },
  training: { epochs: 1, batch_size: 8 },
}
const complete = (more: object = {}) => isComplete(study as Schema, { config: CONFIG, ...more })

describe('what a form lacks', () => {
  it('is a required key of the whole', () => {
    expect(isComplete(configuration as Schema, CONFIG)).toBe(true)
    expect(complete()).toBe(true)
    expect(isComplete(study as Schema, {})).toBe(false)
    for (const [section, keys] of Object.entries(CONFIG))
      for (const key of Object.keys(keys)) {
        expect(complete({ config: { ...CONFIG, [section]: { ...keys, [key]: undefined } } })).toBe(false)
        expect(complete({ config: { ...CONFIG, [section]: { ...keys, [key]: null } } })).toBe(false)
      }
  })

  it('is one of a part that is given, and none of a part that is not', () => {
    expect(complete({ variants: [{ name: 'a' }, {}] })).toBe(false)
    expect(complete({ variants: [{ name: 'a' }, { name: 'b', config: { model: {} } }] })).toBe(true)
    expect(complete({ search: { sampler: 'tpe' } })).toBe(false)
    expect(complete({ search: null, folds: null })).toBe(true)
  })

  it('is nothing that is only wrong', () => {
    expect(complete({ seeds: 'many', variants: 'none', unknown: {} })).toBe(true)
  })
})
