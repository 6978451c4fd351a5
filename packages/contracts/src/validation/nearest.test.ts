import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.js'

describe('nearest', () => {
  it.each([
    ['epoch', ['epochs', 'seed'], 'epochs'],
    ['fusoin_type', ['fusion_type', 'image_dim'], 'fusion_type'],
    ['RESNET18', ['resnet18', 'resnet34'], 'resnet18'],
    ['zzzzzz', ['epochs', 'seed'], undefined],
    ['', ['a'], 'a'],
  ])('%s → %s', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected)
  })

  it('answers quickly for a very long word', () => {
    expect(nearest('x'.repeat(1_000_000), ['epochs'])).toBeUndefined()
  })
})
