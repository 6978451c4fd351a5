import { expect, it, vi } from 'vitest'
import { shareInFlight } from './share-in-flight.js'

it('calls the work once for concurrent callers, and again after its end', async () => {
  const work = vi.fn(async () => work.mock.calls.length)
  const shared = shareInFlight(work)
  expect(await Promise.all([shared(), shared()])).toEqual([1, 1])
  expect(await shared()).toBe(2)
})

it('rejects for all concurrent callers, and tries again after that', async () => {
  const work = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValueOnce('online')
  const shared = shareInFlight<string>(work)
  const results = await Promise.allSettled([shared(), shared()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared()).toBe('online')
})
