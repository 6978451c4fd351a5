import { useMemo } from 'react'
import type { Window } from './curve-chart'

/** How curves are looked at, as an address says it. */
export interface CurveLook {
  /** The window of the curves, in steps: both ends or none. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly log?: true | undefined
  /** Weight of the smoothing; absent: none. */
  readonly smooth?: number | undefined
}

/** What an address says of it, as far as it makes sense; the rest is left out. */
export function curveLook(given: Record<string, unknown>): CurveLook {
  const [from, to, smooth] = [number(given.from), number(given.to), number(given.smooth)]
  const window = from !== undefined && to !== undefined && from < to
  return {
    from: window ? from : undefined,
    to: window ? to : undefined,
    log: given.log === true ? true : undefined,
    smooth: smooth !== undefined && smooth > 0 && smooth < 1 ? smooth : undefined,
  }
}

/** The same object as long as the ends are the same, so that charts are not drawn anew. */
export function useWindow({ from, to }: CurveLook): Window | undefined {
  return useMemo(() => (from === undefined || to === undefined ? undefined : { from, to }), [from, to])
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
