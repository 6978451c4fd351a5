import { expect, it, vi } from 'vitest'
import { poll } from './poll.js'

it('repeats until something is found', async () => {
  const look = vi
    .fn()
    .mockResolvedValueOnce(undefined)
    .mockResolvedValueOnce(undefined)
    .mockResolvedValue(false)
  const delay = vi.fn(() => 0)
  expect(await poll<boolean>(look, { delay })).toBe(false)
  expect(delay.mock.calls).toEqual([[0], [1]])
})

it('ends when the signal aborts', async () => {
  const control = new AbortController()
  const look = vi.fn(async () => {
    control.abort()
    return undefined
  })
  expect(await poll(look, { delay: () => 3_600_000, signal: control.signal })).toBeUndefined()
  expect(look).toHaveBeenCalledTimes(1)
})
