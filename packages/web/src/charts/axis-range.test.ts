import { expect, test } from 'vitest'
import { axisRange } from './axis-range'

test('covers the steps, in whatever order they arrive, or the window', () => {
  expect(axisRange([1, 2, 7], undefined)).toEqual({ min: 1, max: 7 })
  expect(axisRange([3, 1, 2], undefined)).toEqual({ min: 1, max: 3 })
  expect(axisRange([1, 2, 7], { from: 2, to: 4 })).toEqual({ min: 2, max: 4 })
})

test('is never empty or reversed', () => {
  expect(axisRange([5], undefined)).toEqual({ min: 4, max: 6 })
  expect(axisRange([], undefined)).toEqual({ min: 0, max: 1 })
  expect(axisRange([1, 2], { from: 3, to: 3 })).toEqual({ min: 2, max: 4 })
  expect(axisRange([1, 2], { from: 5, to: 3 })).toEqual({ min: 2, max: 6 })
})
