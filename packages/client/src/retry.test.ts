import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { growingPause, retry } from './retry.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('repeats while the error is worth it, and then throws it', async () => {
  const send = vi.fn(async (attempt: number) => {
    throw new Error(`attempt ${attempt}`)
  })
  const isWorthAgain = (_error: unknown, attempt: number) => attempt < 2
  const ended = expect(retry(send, { seconds: 60, signal: undefined, isWorthAgain })).rejects.toThrow(
    'attempt 2',
  )
  await vi.advanceTimersByTimeAsync(10_000)
  await ended
})

it('starts no repetition after the time limit', async () => {
  const send = vi.fn().mockRejectedValue(new Error('offline'))
  const ended = expect(
    retry(send, { seconds: 20, signal: undefined, isWorthAgain: () => true }),
  ).rejects.toThrow()
  await vi.advanceTimersByTimeAsync(60_000)
  await ended
  const { length } = send.mock.calls
  expect(length).toBeGreaterThan(5)
  expect(length).toBeLessThan(15)
})

it('the pause grows, and ends when the signal aborts', async () => {
  const done = vi.fn()
  void growingPause(0, undefined).then(done)
  await vi.advanceTimersByTimeAsync(149)
  expect(done).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(101)
  expect(done).toHaveBeenCalled()
  const control = new AbortController()
  const aborted = vi.fn()
  void growingPause(10, control.signal).then(aborted)
  await vi.advanceTimersByTimeAsync(3000)
  expect(aborted).not.toHaveBeenCalled()
  control.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(aborted).toHaveBeenCalled()
})
