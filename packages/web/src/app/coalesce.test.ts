import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { coalesce } from './coalesce'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('reads once for all that changes in a moment', async () => {
  const read: string[] = []
  const changed = coalesce(async (name: string) => read.push(name))
  changed('jobs', 'models')
  changed('jobs')
  expect(read).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(read).toEqual(['jobs', 'models'])
})

it('lets a slow reading end, reads once more if something has changed meanwhile, and holds up no other', async () => {
  const read: string[] = []
  const ends: (() => void)[] = []
  const changed = coalesce((name: string) => {
    read.push(name)
    return new Promise<void>((end) => ends.push(end))
  })
  changed('metrics')
  await vi.advanceTimersByTimeAsync(500)
  for (let times = 0; times < 20; times++) changed('metrics')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(read).toEqual(['metrics'])
  changed('jobs')
  await vi.advanceTimersByTimeAsync(500)
  expect(read).toEqual(['metrics', 'jobs'])
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(500)
  expect(read).toEqual(['metrics', 'jobs', 'metrics'])
  for (const end of ends) end()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(read).toHaveLength(3)
})

it('a reading that fails is read again at the next change', async () => {
  let times = 0
  const changed = coalesce(async () => {
    times++
    throw new Error('away')
  })
  for (let change = 1; change <= 2; change++) {
    changed('jobs')
    await vi.advanceTimersByTimeAsync(500)
    expect(times).toBe(change)
  }
})
