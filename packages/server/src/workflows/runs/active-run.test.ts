import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ActiveRun, type ActiveRunOptions } from './active-run.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const MINUTE = 60_000

/** @returns the run, and its database writes. */
const begin = (attempt: number) => {
  const written: unknown[] = []
  const repository = { update: async (...row: unknown[]) => void written.push(row) }
  const options = { run: { run_id: 'r', attempt }, nodes: [], repository } as unknown as ActiveRunOptions
  return { run: new ActiveRun(options), written }
}

test('restarts during a run are not counted any more once the service has been stable for a while', () => {
  const { written } = begin(4)
  vi.advanceTimersByTime(5 * MINUTE)
  expect(written).toEqual([])
  vi.advanceTimersByTime(6 * MINUTE)
  expect(written).toEqual([['r', { attempt: 1 }]])
})

test('restarts count if the service ends before that, and a run without any writes nothing', () => {
  const recovered = begin(4)
  recovered.run.detach()
  const first = begin(1)
  vi.advanceTimersByTime(60 * MINUTE)
  expect([recovered.written, first.written]).toEqual([[], []])
})
