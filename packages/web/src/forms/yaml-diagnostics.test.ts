import { describe, expect, it } from 'vitest'
import { rangeOfPath } from './yaml-diagnostics'

const TEXT = 'data:\n  train_csv: a.csv # kept\n  window: {center: 4}\ntraining:\n  epochs: 0\n'
const textAt = (path: string) => {
  const { from, to } = rangeOfPath(TEXT, path)
  return TEXT.slice(from, to)
}

describe('the place of a key in a document', () => {
  it('is the key with its value, also inside a flow', () => {
    expect(textAt('training.epochs')).toBe('epochs: 0')
    expect(textAt('data.train_csv')).toBe('train_csv: a.csv')
    expect(textAt('data.window.center')).toBe('center: 4')
  })

  it('is an item of a list, or a key in it, and a key that has dots itself', () => {
    const text =
      'seeds: [4, 4]\nvariants:\n  - name: a\n  - name: b # twice\nsearch:\n  space:\n    model.dropout: [0.1]\n'
    const rangeText = (path: string) => {
      const { from, to } = rangeOfPath(text, path)
      return text.slice(from, to)
    }
    expect(rangeText('variants.1.name')).toBe('name: b')
    expect(rangeText('variants.1.config')).toContain('name: b')
    expect(rangeOfPath(text, 'seeds.1').from).toBe(text.lastIndexOf('4'))
    expect(rangeText('seeds.1')).toBe('4')
    expect(rangeText('search.space.model.dropout')).toBe('model.dropout')
    expect(rangeText('search.space.model.dropout.0')).toBe('0.1')
    expect(rangeText('variants.7.name')).toBe('variants')
  })

  it('is the nearest key above one that is missing, or the beginning', () => {
    expect(textAt('training.batch_size')).toBe('training')
    expect(rangeOfPath(TEXT, 'model.vision_backbone')).toEqual({ from: 0, to: 0 })
    expect(rangeOfPath('', '')).toEqual({ from: 0, to: 0 })
    expect(rangeOfPath('a: [', 'a')).toMatchObject({ from: 0 })
  })
})
