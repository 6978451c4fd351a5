import { expect, it } from 'vitest'
import { isCoverageMissed, isOverconfident, isSignificant } from './verdicts.js'

it('a coverage is missed only if its whole interval is below the target', () => {
  expect([0.85, 0.9, null].map((high) => isCoverageMissed({ high }, 0.1))).toEqual([true, false, false])
})

it('a temperature above 1 corrects an overconfident model', () => {
  expect([0.8, 1.2].map(isOverconfident)).toEqual([false, true])
})

it('a difference is significant below 0.05', () => {
  expect([0.049, 0.05].map(isSignificant)).toEqual([true, false])
})
