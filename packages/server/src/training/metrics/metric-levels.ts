import type { Metrics } from '@medloom/contracts'

/** One progress message as a point of the curves. */
export interface Point {
  readonly epoch: number
  readonly batch: number
  readonly total_batches: number
  readonly metrics: Metrics
}

/** Summary of one metric over the points of a bucket. Points where it is null do not count. */
export interface Summary {
  readonly min: number
  readonly max: number
  readonly last: number
  readonly sum: number
  readonly count: number
}

/** Consecutive points as one. `At` is the position of a point on the curve. */
export interface Bucket<At = Place> {
  readonly points: number
  readonly first: At
  readonly last: At
  readonly series: Readonly<Record<string, Summary>>
}

export interface Place {
  readonly epoch: number
  readonly batch: number
  /** Batches from the start of the training. */
  readonly step: number
}

/** Each level has buckets of FACTOR times as many points as the next finer one; level 0 has the points themselves. */
export const FACTOR = 4
/** A level with more complete buckets than this is dropped: a curve of any length is stored in some thousand buckets. */
export const MAX_BUCKETS = 16_384

/** State of a curve apart from its complete buckets: by level, the bucket that is being filled. */
export interface OpenLevels<At = Place> {
  readonly points: number
  readonly open: readonly (Bucket<At> | null)[]
}

export const NO_LEVELS = { points: 0, open: [] } as const satisfies OpenLevels

export interface CompleteBucket<At = Place> {
  readonly level: number
  /** Position within the level, from 0. */
  readonly index: number
  readonly bucket: Bucket<At>
}

/** Pure: the curve with one more point, and the buckets that are completed by it, finest first. */
export function addPoint<At>(
  { points, open }: OpenLevels<At>,
  point: Bucket<At>,
): { readonly levels: OpenLevels<At>; readonly complete: readonly CompleteBucket<At>[] } {
  const count = points + 1
  const filled = [...open]
  const complete: CompleteBucket<At>[] = []
  let bucket = point
  for (let level = 0, size = 1; ; level++, size *= FACTOR) {
    if (level > 0) bucket = merge([filled[level] ?? null, bucket])
    if (count % size !== 0) {
      filled[level] = bucket
      break
    }
    filled[level] = null
    complete.push({ level, index: count / size - 1, bucket })
  }
  return { levels: { points: count, open: filled }, complete }
}

/** The levels with these points, and the buckets that they complete. */
export function addBuckets<At>(
  before: OpenLevels<At>,
  points: readonly Bucket<At>[],
): OpenLevels<At> & { readonly complete: readonly CompleteBucket<At>[] } {
  let levels = before
  const complete: CompleteBucket<At>[] = []
  for (const point of points) {
    const added = addPoint(levels, point)
    levels = added.levels
    complete.push(...added.complete)
  }
  return { points: levels.points, open: levels.open, complete }
}

/** The finest level that is stored for a curve of this many points. */
export function finestLevel(points: number): number {
  let level = 0
  while (Math.floor(points / FACTOR ** level) > MAX_BUCKETS) level++
  return level
}

/** The finest level in which this many points give at most twice the requested number of buckets: they are merged in pairs. */
export function levelFor(points: number, buckets: number, finest: number): number {
  let level = finest
  while (points / FACTOR ** level > 2 * buckets) level++
  return level
}

/** The points that are not in a complete bucket of this level; null when there are none. */
export function incomplete<At>({ open }: OpenLevels<At>, level: number): Bucket<At> | null {
  // A coarser bucket was started before the finer ones.
  const parts = open.slice(1, level + 1).reverse()
  return parts.some((part) => part) ? merge(parts) : null
}

/** In order, at most `count` buckets: adjacent ones are merged. */
export function mergeBuckets<At>(count: number, buckets: readonly Bucket<At>[]): Bucket<At>[] {
  const size = Math.ceil(buckets.length / count)
  if (size <= 1) return [...buckets]
  return Array.from({ length: Math.ceil(buckets.length / size) }, (_, index) =>
    merge(buckets.slice(index * size, (index + 1) * size)),
  )
}

/** A progress message as a bucket of one point. */
export function bucketOf({ epoch, batch, total_batches, metrics }: Point): Bucket {
  return singleBucket({ epoch, batch, step: (epoch - 1) * total_batches + batch }, metrics)
}

export function singleBucket<At>(position: At, values: Metrics): Bucket<At> {
  const series: Record<string, Summary> = {}
  for (const [name, value] of Object.entries(values))
    if (value !== null) series[name] = { min: value, max: value, last: value, sum: value, count: 1 }
  return { points: 1, first: position, last: position, series }
}

/** Merges buckets in the order of their points. */
export function merge<At>(parts: readonly (Bucket<At> | null)[]): Bucket<At> {
  const [first, ...others] = parts.filter((part) => part !== null)
  if (!first) throw new Error('there is nothing to merge')
  if (others.length === 0) return first
  const series: Record<string, Summary> = { ...first.series }
  let { points, last } = first
  for (const other of others) {
    points += other.points
    last = other.last
    for (const [name, added] of Object.entries(other.series)) {
      const { min, max, sum, count } = series[name] ?? { ...added, sum: 0, count: 0 }
      series[name] = {
        min: Math.min(min, added.min),
        max: Math.max(max, added.max),
        last: added.last,
        sum: sum + added.sum,
        count: count + added.count,
      }
    }
  }
  return { points, first: first.first, last, series }
}
