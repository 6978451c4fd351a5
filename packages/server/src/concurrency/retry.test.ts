import { expect, it, vi } from 'vitest'
import { retry } from './retry.js'

it('repeats after each failure until the work succeeds', async () => {
  const work = vi
    .fn()
    .mockRejectedValueOnce('first')
    .mockRejectedValueOnce('second')
    .mockResolvedValue('done')
  const onFailure = vi.fn()
  const delay = vi.fn(() => 0)
  expect(await retry<string>(work, { delay, onFailure })).toBe('done')
  expect(onFailure.mock.calls).toEqual([['first'], ['second']])
  expect(delay.mock.calls).toEqual([[0], [1]])
})

it('ends with the error that its caller throws', async () => {
  const work = vi.fn().mockRejectedValue(new Error('refused'))
  const onFailure = (error: unknown) => {
    throw error
  }
  await expect(retry(work, { delay: () => 0, onFailure })).rejects.toThrow('refused')
  expect(work).toHaveBeenCalledTimes(1)
})

it('ends with the last error once the signal aborts', async () => {
  const control = new AbortController()
  const work = vi.fn().mockRejectedValue(new Error('offline'))
  const onFailure = () => control.abort()
  await expect(retry(work, { delay: () => 3_600_000, onFailure, signal: control.signal })).rejects.toThrow(
    'offline',
  )
  expect(work).toHaveBeenCalledTimes(1)
})
