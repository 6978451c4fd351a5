import { expect, test } from 'vitest'
import { totalSeconds } from './total-seconds.js'

test.each([
  ['inspect', {}, 1800],
  ['inspect', { bytes: 1024 ** 3 }, 1800 + 8192],
  ['preview', {}, 1800],
  ['propose_recipe', {}, 1800],
  ['check_training', {}, 1800],
  ['cases', {}, 1800],
  ['distribution', { bytes: 1024 ** 3 }, 1800 + 8192],
  ['leaks', { images: 10_000 }, 1800 + 5000],
  ['node', {}, null],
  ['evaluate', { bytes: 1024 ** 3 }, null],
] as const)('%s that reads %o may take %s seconds', (task, reads, expected) => {
  expect(totalSeconds(task, reads, 120)).toBe(expected)
})
