import { useMemo } from 'react'
import type { Window } from './curve-chart'

/** Display settings of curves, as the address stores them. */
export interface CurveLook {
  /** Window of the curves in steps: both bounds or neither. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly log?: true | undefined
  /** Weight of the smoothing; absent: no smoothing. */
  readonly smooth?: number | undefined
}

/** Reads the valid settings from the address; invalid ones are ignored. */
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

/** Returns the same object while the bounds are the same, so that charts are not drawn again. */
export function useWindow({ from, to }: CurveLook): Window | undefined {
  return useMemo(() => (from === undefined || to === undefined ? undefined : { from, to }), [from, to])
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
