import { expect, test } from 'vitest'
import { thin } from './axes.js'

test('points are thinned evenly, and the first and the last are kept', () => {
  const points = Array.from({ length: 11 }, (_, index) => index)
  expect(thin(points, 3)).toEqual([0, 5, 10])
  expect(thin(points, 11)).toEqual(points)
})
