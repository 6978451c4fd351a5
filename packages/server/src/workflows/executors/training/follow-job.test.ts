import { expect, test } from 'vitest'
import { afterEvery } from './follow-job.js'

test('progress is due once so many batches have passed, whichever batches are reported', () => {
  const isDue = afterEvery(4)
  const due = (epoch: number, batches: number[]) =>
    batches.filter((batch) => isDue({ epoch, batch, total_batches: 14 }))
  expect(due(1, [1, 3, 5, 6, 9, 10, 13])).toEqual([5, 9, 13])
  expect(due(2, [2, 3, 7])).toEqual([3, 7])
  // Another attempt of the job begins with an earlier batch.
  expect(due(1, [2, 5, 6])).toEqual([2, 6])
})

test('with an interval of one every report passes', () => {
  const isDue = afterEvery(1)
  expect([1, 2, 9].map((batch) => isDue({ epoch: 3, batch, total_batches: 9 }))).toEqual([true, true, true])
})
