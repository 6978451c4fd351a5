import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RateLimiter } from './rate-limiter.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('many members work less often than a single one, and former members do not count', () => {
  const limiter = new RateLimiter(200)
  const [leave] = Array.from({ length: 1000 }, () => limiter.join())
  expect(limiter.interval).toBe(5000)
  leave?.()
  leave?.()
  expect(limiter.interval).toBe(4995)
})

test('first calls of members that join together are spread over the interval', async () => {
  const limiter = new RateLimiter(20)
  let calls = 0
  const work = async () => void calls++
  for (let member = 0; member < 100; member++) limiter.repeat(5000, work)
  const perHalfSecond: number[] = []
  for (let half = 0; half < 10; half++) {
    const before = calls
    await vi.advanceTimersByTimeAsync(500)
    perHalfSecond.push(calls - before)
  }
  expect(Math.min(...perHalfSecond)).toBeGreaterThanOrEqual(9)
  expect(Math.max(...perHalfSecond)).toBeLessThanOrEqual(11)
})

test('the next call starts after the interval from the end of the last one, and none after the end', async () => {
  const limiter = new RateLimiter(1)
  const ends: (() => void)[] = []
  const end = limiter.repeat(1000, () => new Promise((done) => void ends.push(done)))
  await vi.advanceTimersByTimeAsync(5000)
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(999)
  expect(ends).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends).toHaveLength(2)
  ends[1]?.()
  end()
  await vi.advanceTimersByTimeAsync(5000)
  expect(ends).toHaveLength(2)
})
