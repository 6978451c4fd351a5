import { expect, it } from 'vitest'
import { differsClearly } from './large-shift'

it.each([
  ['above the limit and chance', { smd: 0.3, chance: 0.1, unseen: null }, true],
  ['small', { smd: 0.2, chance: 0.1, unseen: 4 }, false],
  ['no more than chance', { smd: 0.3, chance: 0.4, unseen: null }, false],
  ['without a value', { smd: null, chance: null, unseen: null }, false],
  ['of the same single category', { smd: null, chance: null, unseen: 0 }, false],
  ['without a category of the training', { smd: null, chance: null, unseen: 60 }, true],
])('an input %s', (_, input, expected) => {
  expect(differsClearly(input)).toBe(expected)
})
