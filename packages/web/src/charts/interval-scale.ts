/** Shared axis of several intervals: the position of a value in percent of the width, and the ticks. */
export interface IntervalScale {
  readonly position: (value: number) => number
  readonly ticks: readonly number[]
}

interface Bounds {
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
}

/** Margin on both sides, so that no dot is clipped. */
const MARGIN_PERCENT = 4
const TICKS = 5

/** Scale that contains all intervals and `including` (zero for differences). null: there is nothing to draw. */
export function intervalScale(
  intervals: readonly Bounds[],
  including: readonly number[] = [],
): IntervalScale | null {
  const values = intervals
    .flatMap(({ estimate, low, high }) => [estimate, low, high])
    .filter((value): value is number => value !== null && Number.isFinite(value))
  if (values.length === 0) return null
  const low = Math.min(...values, ...including)
  const high = Math.max(...values, ...including)
  // A single value is centered.
  const span = high - low || Math.abs(high) || 1
  const from = high === low ? low - span / 2 : low
  return {
    position: (value) => MARGIN_PERCENT + ((value - from) / span) * (100 - 2 * MARGIN_PERCENT),
    ticks: ticksBetween(from, from + span),
  }
}

/** Ticks at round numbers: 1, 2 or 5 times a power of ten apart. */
function ticksBetween(from: number, to: number): number[] {
  const rough = (to - from) / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10)
  const first = Math.ceil(from / step - 1e-9)
  const last = Math.floor(to / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}
