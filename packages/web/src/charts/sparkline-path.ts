import { line } from 'd3-shape'

export const WIDTH = 96
export const HEIGHT = 24

/** A missing value is a gap. A single value is drawn as a dot. */
export function sparklinePath(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return ''
  const low = Math.min(...known)
  const span = Math.max(...known) - low || 1
  const step = values.length > 1 ? (WIDTH - 4) / (values.length - 1) : 0
  const draw = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => 2 + index * step)
    .y((value) => HEIGHT - 3 - (((value ?? low) - low) / span) * (HEIGHT - 6))
  return draw(values) ?? ''
}
