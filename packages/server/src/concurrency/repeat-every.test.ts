import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repeatEvery } from './repeat-every.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls the work at the interval until it is ended', async () => {
  const work = vi.fn()
  const end = repeatEvery(100, work)
  await vi.advanceTimersByTimeAsync(250)
  expect(work).toHaveBeenCalledTimes(2)
  end()
  await vi.advanceTimersByTimeAsync(250)
  expect(work).toHaveBeenCalledTimes(2)
})

it('skips a call while the last one is in progress', async () => {
  const ends: (() => void)[] = []
  const end = repeatEvery(100, () => new Promise<void>((done) => void ends.push(done)))
  await vi.advanceTimersByTimeAsync(350)
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(100)
  expect(ends).toHaveLength(2)
  end()
})
