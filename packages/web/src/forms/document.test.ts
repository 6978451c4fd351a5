import { describe, expect, it } from 'vitest'
import { change, draftOf, valueAt } from './document'

const WRITTEN = `# first try with the photos of 2021
training:
  epochs: 20 # enough on the small set
  batch_size: 32
data:
  train_csv: skin/train.csv
`

describe('a configuration as text and as form', () => {
  it('keeps comments and the order of keys through a change', () => {
    const changed = change(draftOf(WRITTEN), ['training', 'epochs'], 40)
    expect(changed.text).toBe(WRITTEN.replace('epochs: 20', 'epochs: 40'))
  })

  it('adds a section, and takes it away with its last key', () => {
    const more = change(draftOf(WRITTEN), ['model', 'fusion_type'], 'late')
    expect(valueAt(more.value, ['model', 'fusion_type'])).toBe('late')
    expect(change(more, ['model', 'fusion_type'], undefined).text).toBe(WRITTEN)
  })

  it('is the same after form and back: what a person typed, in every key', () => {
    const value = {
      data: { train_csv: 'a: b.csv', image_columns: ['x', 'y'] },
      training: { learning_rate: 1e-4 },
    }
    let draft = draftOf('')
    for (const [section, keys] of Object.entries(value))
      for (const [key, inside] of Object.entries(keys)) draft = change(draft, [section, key], inside)
    expect(draft.value).toEqual(value)
    expect(draftOf(draft.text).value).toEqual(value)
  })

  it('reports where a text is not YAML, and leaves it as it is', () => {
    const broken = draftOf('data:\n  train_csv: [a\nmodel: 1\n')
    expect(broken.error?.line).toBeGreaterThan(1)
    expect(change(broken, ['model'], 2)).toBe(broken)
    expect(draftOf('- a list').error).not.toBeNull()
  })

  it('makes a section where null stands, and takes away what is not there without a word', () => {
    const nothing = draftOf('folds: null # one split\nname: a\n')
    expect(change(nothing, ['folds', 'k'], 5).value).toEqual({ folds: { k: 5 }, name: 'a' })
    expect(change(nothing, ['folds', 'k'], undefined)).toBe(nothing)
    expect(change(nothing, ['search', 'trials'], undefined)).toBe(nothing)
  })

  it('starts from nothing', () => {
    expect(draftOf('').value).toEqual({})
    expect(change(draftOf(''), ['data', 'train_csv'], 'a.csv').text).toBe('data:\n  train_csv: a.csv\n')
  })
})
