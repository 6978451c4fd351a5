import { expect, it } from 'vitest'
import { InputShift } from './input-shift.js'

const input = {
  name: 'age',
  kind: 'numeric',
  trained: null,
  evaluated: null,
  missing_trained: 0,
  missing: 0,
  reason: null,
}
const read = (one: object) =>
  InputShift.parse({ cases_trained: 400, inputs: [{ ...input, ...one }], outcome: null }).inputs[0]?.differs

it.each([
  ['above the limit and chance', { smd: 0.3, chance: 0.1, unseen: null }, true],
  ['small', { smd: 0.2, chance: 0.1, unseen: 4 }, false],
  ['no more than chance', { smd: 0.3, chance: 0.4, unseen: null }, false],
  ['without a value', { smd: null, chance: null, unseen: null }, false],
  ['of the same single category', { smd: null, chance: null, unseen: 0 }, false],
  ['without a category of the training', { smd: null, chance: null, unseen: 60 }, true],
])('an input of an older result, %s, has the verdict that was shown of it', (_, one, expected) => {
  expect(read(one)).toBe(expected)
})

it('the verdict of the trainer counts where there is one', () => {
  expect(read({ smd: 0.3, chance: 0.1, unseen: null, differs: false })).toBe(false)
})
