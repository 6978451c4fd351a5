import { describe, expect, it } from 'vitest'
import { changeDraft, parseDraft, valueAt } from './draft'

const WRITTEN = `# first try with the photos of 2021
training:
  epochs: 20 # enough on the small set
  batch_size: 32
data:
  train_csv: skin/train.csv
`

describe('a configuration as text and as form', () => {
  it('keeps comments and the order of keys through a change', () => {
    const changed = changeDraft(parseDraft(WRITTEN), ['training', 'epochs'], 40)
    expect(changed.text).toBe(WRITTEN.replace('epochs: 20', 'epochs: 40'))
  })

  it('adds a section, and takes it away with its last key', () => {
    const more = changeDraft(parseDraft(WRITTEN), ['model', 'fusion_type'], 'late')
    expect(valueAt(more.value, ['model', 'fusion_type'])).toBe('late')
    expect(changeDraft(more, ['model', 'fusion_type'], undefined).text).toBe(WRITTEN)
  })

  it('is the same after form and back: what a person typed, in every key', () => {
    const value = {
      data: { train_csv: 'a: b.csv', image_columns: ['x', 'y'] },
      training: { learning_rate: 1e-4 },
    }
    let draft = parseDraft('')
    for (const [section, keys] of Object.entries(value))
      for (const [key, inside] of Object.entries(keys)) draft = changeDraft(draft, [section, key], inside)
    expect(draft.value).toEqual(value)
    expect(parseDraft(draft.text).value).toEqual(value)
  })

  it('reports where a text is not YAML, and leaves it as it is', () => {
    const broken = parseDraft('data:\n  train_csv: [a\nmodel: 1\n')
    expect(broken.error?.line).toBeGreaterThan(1)
    expect(changeDraft(broken, ['model'], 2)).toBe(broken)
    expect(parseDraft('- a list').error).not.toBeNull()
  })

  it('makes a section where null stands, and takes away what is not there without a word', () => {
    const nothing = parseDraft('folds: null # one split\nname: a\n')
    expect(changeDraft(nothing, ['folds', 'k'], 5).value).toEqual({ folds: { k: 5 }, name: 'a' })
    expect(changeDraft(nothing, ['folds', 'k'], undefined)).toBe(nothing)
    expect(changeDraft(nothing, ['search', 'trials'], undefined)).toBe(nothing)
  })

  it('starts from nothing', () => {
    expect(parseDraft('').value).toEqual({})
    expect(changeDraft(parseDraft(''), ['data', 'train_csv'], 'a.csv').text).toBe(
      'data:\n  train_csv: a.csv\n',
    )
  })
})
