import { expect, test } from 'vitest'
import { stopText } from './stop-text'

test.each([
  [{ queue_position: 2, epoch: 0 }, 'stop.text.queued'],
  [{ queue_position: null, epoch: 0 }, 'stop.text.early'],
  [{ queue_position: null, epoch: 1 }, 'stop.text'],
] as const)('a stop of %j is described by %s', (job, key) => {
  expect(stopText(job)).toBe(key)
})
