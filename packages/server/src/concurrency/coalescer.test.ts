import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Coalescer } from './coalescer.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('runs once for all requests of an interval', async () => {
  const work = vi.fn(async () => undefined)
  const coalescer = new Coalescer(work, { milliseconds: 100, onError: vi.fn() })
  coalescer.request()
  await vi.advanceTimersByTimeAsync(99)
  coalescer.request()
  expect(work).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(work).toHaveBeenCalledTimes(1)
})

it('starts one further run for all requests during a run, after it', async () => {
  const { runs, coalescer } = manual()
  const first = coalescer.flush()
  await vi.advanceTimersByTimeAsync(0)
  const others = [coalescer.flush(), coalescer.flush()]
  coalescer.request()
  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await first
  await vi.advanceTimersByTimeAsync(0)
  expect(runs).toHaveLength(2)
  runs[1]?.resolve()
  await Promise.all(others)
  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toHaveLength(2)
})

it('reports a failed run and continues', async () => {
  const errors: unknown[] = []
  const { runs, coalescer } = manual((error) => errors.push(error))
  const failed = coalescer.flush()
  await vi.advanceTimersByTimeAsync(0)
  runs[0]?.reject('disk full')
  await failed
  expect(errors).toEqual(['disk full'])
  void coalescer.flush()
  await vi.advanceTimersByTimeAsync(0)
  expect(runs).toHaveLength(2)
})

it('drops a waiting request when it is canceled, and waits for the run in progress', async () => {
  const { runs, coalescer } = manual()
  void coalescer.flush()
  await vi.advanceTimersByTimeAsync(0)
  coalescer.request()
  let isCancelled = false
  const cancelled = coalescer.cancel().then(() => {
    isCancelled = true
  })
  await vi.advanceTimersByTimeAsync(1000)
  expect([runs.length, isCancelled]).toEqual([1, false])
  runs[0]?.resolve()
  await cancelled
  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toHaveLength(1)
})

interface Run {
  resolve(): void
  reject(reason: unknown): void
}

/** A coalescer whose runs end when the test ends them. */
function manual(onError: (error: unknown) => void = () => undefined) {
  const runs: Run[] = []
  const work = () => new Promise<void>((resolve, reject) => void runs.push({ resolve, reject }))
  return { runs, coalescer: new Coalescer(work, { milliseconds: 100, onError }) }
}
