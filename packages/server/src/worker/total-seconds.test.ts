import { expect, test } from 'vitest'
import { totalSeconds } from './total-seconds.js'

test.each([
  ['inspect', 0, 1800],
  ['inspect', 1024 ** 3, 1800 + 8192],
  ['preview', 0, 1800],
  ['check_training', 0, 1800],
  ['node', 0, null],
  ['evaluate', 1024 ** 3, null],
] as const)('%s of %i bytes may take %s seconds', (task, bytes, expected) => {
  expect(totalSeconds(task, bytes, 120)).toBe(expected)
})
