import { type Bucket, FACTOR, finestLevel, incomplete, merge, type OpenLevels } from './metric-levels.js'

/** A curve whose complete buckets are read on demand. */
export interface Curve<At> extends OpenLevels<At> {
  /** The complete buckets of a stored level with from <= index < to, in order. */
  read(level: number, from: number, to: number): Promise<readonly Bucket<At>[]>
}

/** Consecutive buckets of the finest level of a curve, and the points after its last complete bucket if they belong to it. */
export interface CurveRange<At> {
  readonly curve: Curve<At>
  readonly finest: number
  readonly from: number
  readonly to: number
  readonly rest: Bucket<At> | null
  readonly points: number
}

/**
 * Once true for a bucket, each condition is true for all later ones: the stretch starts at the first bucket that `begins`, and ends before
 * the first that is `over`.
 */
export interface Bounds<At> {
  begins(bucket: Bucket<At>): boolean
  over(bucket: Bucket<At>): boolean
}

/** The whole curve, or the part within `bounds`: found by bisection, so that a long curve is not read for a short window. */
export async function rangeOfCurve<At>(curve: Curve<At>, bounds?: Bounds<At>): Promise<CurveRange<At>> {
  const finest = finestLevel(curve.points)
  const complete = Math.floor(curve.points / FACTOR ** finest)
  const open = incomplete(curve, finest)
  const within = !bounds || (open && bounds.begins(open) && !bounds.over(open))
  const rest = within ? open : null
  const from = bounds ? await firstThat(curve, finest, complete, bounds.begins) : 0
  const to = bounds ? Math.max(from, await firstThat(curve, finest, complete, bounds.over)) : complete
  const points = (to - from) * FACTOR ** finest + (rest?.points ?? 0)
  return { curve, finest, from, to, rest, points }
}

/** The stretch in buckets of `level`, and in finer ones at both ends, where whole buckets would exceed the stretch. */
export async function bucketsOf<At>(stretch: CurveRange<At>, level: number): Promise<Bucket<At>[]> {
  const { curve, rest } = stretch
  const head: Bucket<At>[] = []
  const tail: (readonly Bucket<At>[])[] = [rest ? [rest] : []]
  let { from, to } = stretch
  for (let finer = stretch.finest; finer < level && from < to; finer++) {
    const [first, end] = [Math.ceil(from / FACTOR), Math.floor(to / FACTOR)]
    if (first >= end) {
      head.push(...(await curve.read(finer, from, to)))
      to = from
      break
    }
    if (from < first * FACTOR) head.push(...(await curve.read(finer, from, first * FACTOR)))
    if (end * FACTOR < to) tail.unshift(await curve.read(finer, end * FACTOR, to))
    from = first
    to = end
  }
  const middle = from < to ? await curve.read(level, from, to) : []
  return [...asOne(head), ...middle, ...asOne(tail.flat())]
}

/** The first bucket of a curve; null where it has no points. */
export async function firstBucket<At>(curve: Curve<At>): Promise<Bucket<At> | null> {
  const finest = finestLevel(curve.points)
  if (curve.points < FACTOR ** finest) return incomplete(curve, finest)
  return (await curve.read(finest, 0, 1))[0] ?? null
}

function asOne<At>(buckets: readonly Bucket<At>[]): Bucket<At>[] {
  return buckets.length > 0 ? [merge(buckets)] : []
}

/** The index of the first bucket for which `holds` is true, as it is for all later ones; `count` if there is none. */
async function firstThat<At>(
  curve: Curve<At>,
  level: number,
  count: number,
  holds: (bucket: Bucket<At>) => boolean,
): Promise<number> {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [bucket] = await curve.read(level, middle, middle + 1)
    if (bucket && !holds(bucket)) low = middle + 1
    else high = middle
  }
  return low
}
