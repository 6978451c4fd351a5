import { useMemo } from 'react'
import type { Window } from './axis-range'

/** Display settings of curves, as the address stores them. */
export interface CurveSettings {
  /** Window of the curves in steps: both bounds or neither. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly log?: true | undefined
  /** Weight of the smoothing; absent: no smoothing. */
  readonly smooth?: number | undefined
}

/** Reads the valid settings from the address; invalid ones are ignored. */
export function parseCurveSettings(params: Record<string, unknown>): CurveSettings {
  const [from, to, smooth] = [number(params.from), number(params.to), number(params.smooth)]
  const window = from !== undefined && to !== undefined && from < to
  return {
    from: window ? from : undefined,
    to: window ? to : undefined,
    log: params.log === true ? true : undefined,
    smooth: smooth !== undefined && smooth > 0 && smooth < 1 ? smooth : undefined,
  }
}

/** Returns the same object while the bounds are the same, so that charts are not drawn again. */
export function useWindow({ from, to }: CurveSettings): Window | undefined {
  return useMemo(() => (from === undefined || to === undefined ? undefined : { from, to }), [from, to])
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
