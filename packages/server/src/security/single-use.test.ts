import { expect, test } from 'vitest'
import { SingleUse } from './single-use.js'

test('an id is remembered for at least one period, and forgotten after two', () => {
  let now = 0
  const ids = new SingleUse(100, () => now)
  expect([ids.take('a'), ids.take('a'), ids.take('b')]).toEqual([true, false, true])
  now = 99
  expect(ids.take('a')).toBe(false)
  now = 150
  expect(ids.take('a')).toBe(false)
  now = 260
  expect(ids.take('a')).toBe(true)
  now = 1000
  expect([ids.take('a'), ids.take('a')]).toEqual([true, false])
})
