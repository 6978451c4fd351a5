import { expect, test } from 'vitest'
import {
  addBuckets,
  addPoint,
  bucketOf,
  FACTOR,
  finestLevel,
  incomplete,
  levelFor,
  MAX_BUCKETS,
  mergeBuckets,
  NO_LEVELS,
} from './metric-levels.js'

/** Ten batches per epoch; the loss decreases and oscillates, and every third accuracy is missing. */
const metricsAt = (index: number) => ({
  loss: 1000 - index + (index % 7),
  accuracy: index % 3 === 0 ? null : index,
})
const pointAt = (index: number) =>
  bucketOf({
    epoch: Math.floor(index / 10) + 1,
    batch: (index % 10) + 1,
    total_batches: 10,
    metrics: metricsAt(index),
  })
const points = (count: number) => Array.from({ length: count }, (_, index) => pointAt(index))

test.each([1, 3, 4, 5, 63, 64, 65, 1000, 4099])(
  'the buckets of every level together contain the %i points, each once and in order',
  (count) => {
    const added = addBuckets(NO_LEVELS, points(count))
    for (let level = 0; FACTOR ** level <= 4 * count; level++) {
      const complete = added.complete.filter((bucket) => bucket.level === level)
      expect(complete.map(({ index }) => index)).toEqual(complete.map((_, index) => index))
      const rest = incomplete(added, level)
      const buckets = [...complete.map(({ bucket }) => bucket), ...(rest ? [rest] : [])]
      let from = 0
      for (const { points: size, first, last, series } of buckets) {
        const own = Array.from({ length: size }, (_, index) => metricsAt(from + index))
        const values = (name: 'loss' | 'accuracy') => own.flatMap((metrics) => metrics[name] ?? [])
        const loss = values('loss')
        expect(first).toEqual({ ...pointAt(from).first, step: from + 1 })
        expect(last.step).toBe(from + size)
        expect(series.loss).toEqual({
          min: Math.min(...loss),
          max: Math.max(...loss),
          last: loss.at(-1),
          sum: loss.reduce((sum, value) => sum + value, 0),
          count: size,
        })
        expect(series.accuracy?.count ?? 0).toBe(values('accuracy').length)
        from += size
      }
      expect(from).toBe(count)
    }
  },
)

test('the cost of a point does not depend on their number: the state is one bucket per level', () => {
  const { open } = addBuckets(NO_LEVELS, points(5000))
  expect(open.length).toBeLessThanOrEqual(8)
  expect(addPoint({ points: 4 ** 6 - 1, open }, pointAt(0)).complete.length).toBe(7)
})

test('a curve of any length is stored in some thousand buckets, and a request reads few more than it returns', () => {
  for (const count of [1, 100, 16_384, 16_385, 1_000_000, 1_000_000_000]) {
    const finest = Math.floor(count / FACTOR ** finestLevel(count))
    expect(finest).toBeLessThanOrEqual(MAX_BUCKETS)
    expect(finest).toBeGreaterThanOrEqual(Math.min(count, MAX_BUCKETS / FACTOR))
    for (const buckets of [1, 100, 500]) {
      const read = count / FACTOR ** levelFor(count, buckets, finestLevel(count))
      expect(read).toBeGreaterThan(Math.min(count, buckets) / 2)
      expect(read).toBeLessThanOrEqual(2 * buckets)
    }
  }
})

test('buckets are merged into at most the requested number', () => {
  const level0 = addBuckets(NO_LEVELS, points(100)).complete.filter(({ level }) => level === 0)
  const buckets = level0.map(({ bucket }) => bucket)
  for (const count of [1, 3, 99, 100, 500]) {
    const merged = mergeBuckets(count, buckets)
    expect(merged.length).toBeLessThanOrEqual(count)
    expect(merged.reduce((sum, bucket) => sum + bucket.points, 0)).toBe(100)
    expect(merged.at(-1)?.last.step).toBe(100)
  }
})
