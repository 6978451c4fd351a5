import { expect, it } from 'vitest'
import { backoff } from './backoff.js'

it('doubles the pause up to the longest', () => {
  expect([0, 1, 2, 3, 4, 2000].map(backoff(500, 4000))).toEqual([500, 1000, 2000, 4000, 4000, 4000])
})
