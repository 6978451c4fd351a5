import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { within } from './within.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<string>(() => undefined)

it('returns the result, or the error, of work that ends in time, and leaves no timer', async () => {
  await expect(within(100, Promise.resolve('done'))).resolves.toBe('done')
  await expect(within(100, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(vi.getTimerCount()).toBe(0)
})

it('returns null when the time is over', async () => {
  const late = within(100, never)
  await vi.advanceTimersByTimeAsync(100)
  await expect(late).resolves.toBeNull()
})

it('returns null when the signal aborts', async () => {
  const control = new AbortController()
  const canceled = within(100, never, control.signal)
  control.abort()
  await expect(canceled).resolves.toBeNull()
  await expect(within(100, never, control.signal)).resolves.toBeNull()
  expect(vi.getTimerCount()).toBe(0)
})
