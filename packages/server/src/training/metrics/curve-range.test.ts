import { expect, test } from 'vitest'
import { bucketsOf, type Curve, firstBucket, rangeOfCurve } from './curve-range.js'
import {
  addBuckets,
  type Bucket,
  bucketOf,
  FACTOR,
  finestLevel,
  levelFor,
  NO_LEVELS,
} from './metric-levels.js'

/** One batch per point; the value is the step. */
const pointAt = (step: number) =>
  bucketOf({ epoch: 1, batch: step, total_batches: 10 ** 9, metrics: { value: step } })

function curveOf(count: number) {
  const { complete, ...levels } = addBuckets(
    NO_LEVELS,
    Array.from({ length: count }, (_, index) => pointAt(index + 1)),
  )
  const reads: number[] = []
  const curve: Curve<Bucket['first']> = {
    ...levels,
    async read(level, from, to) {
      const found = complete.filter((one) => one.level === level && one.index >= from && one.index < to)
      reads.push(found.length)
      return found.map(({ bucket }) => bucket)
    },
  }
  return { curve, reads }
}

const window = (from: number, to: number) => ({
  begins: ({ last }: Bucket) => last.step >= from,
  over: ({ first }: Bucket) => first.step > to,
})

test.each([1, 5, 64, 100, 1000, 5000])(
  'a window of %i points contains each of its points once, at every level',
  async (count) => {
    const { curve } = curveOf(count)
    for (const [from, to] of [
      [1, count],
      [0, 10 * count],
      [Math.ceil(count / 3), Math.ceil(count / 2)],
      [count, count],
    ] as const)
      for (const buckets of [1, 2, 7, 100]) {
        const stretch = await rangeOfCurve(curve, window(from, to))
        const found = await bucketsOf(stretch, levelFor(stretch.points, buckets, stretch.finest))
        const [low, high] = [Math.max(1, from), Math.min(count, to)]
        expect(found.map(({ first }) => first.step)).toEqual([
          low,
          ...found.slice(0, -1).map(({ last }) => last.step + 1),
        ])
        expect(found.at(-1)?.last.step).toBe(high)
        expect(stretch.points).toBe(high - low + 1)
        expect(found.length).toBeLessThanOrEqual(2 * buckets + 2)
      }
  },
)

test('a window outside of a curve is empty', async () => {
  const { curve } = curveOf(100)
  for (const outside of [window(200, 300), window(60, 50)]) {
    const stretch = await rangeOfCurve(curve, outside)
    expect([stretch.points, await bucketsOf(stretch, stretch.finest)]).toEqual([0, []])
  }
  expect((await rangeOfCurve(curveOf(0).curve)).points).toBe(0)
})

test('the first bucket of a curve is known, however few points it has', async () => {
  expect(await firstBucket(curveOf(0).curve)).toBeNull()
  for (const count of [1, 3, 1000]) expect((await firstBucket(curveOf(count).curve))?.first.step).toBe(1)
})

test('a window of a long curve is found by a few reads and read in a few hundred buckets', async () => {
  const { curve, reads } = curveOf(20_000)
  const stretch = await rangeOfCurve(curve, window(7000, 9000))
  expect(reads.length).toBeLessThan(2 * Math.ceil(Math.log2(20_000)) + 2)
  await bucketsOf(stretch, levelFor(stretch.points, 100, finestLevel(curve.points)))
  expect(reads.reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * 100 + 8 * FACTOR + 40)
})
