import type { Window } from './axis-range'
import { CurveChart, type Line } from './curve-chart'
import { CurveTable } from './curve-table'

/** Values over steps, independent of how they are displayed. */
export interface Curve {
  readonly title: string
  readonly steps: readonly number[]
  readonly lines: readonly Line[]
}

/** A list of curves, as charts or as tables. */
export function CurveList({
  curves,
  asTable,
  ...chart
}: {
  readonly curves: readonly Curve[]
  readonly asTable: boolean
  readonly logarithmic?: boolean
  readonly window: Window | undefined
  readonly onWindow: (window: Window | undefined) => void
}) {
  return curves.map(({ title, steps, lines }) =>
    asTable ? (
      <CurveTable key={title} title={title} steps={steps} lines={lines} />
    ) : (
      <CurveChart key={title} title={title} steps={steps} lines={lines} {...chart} />
    ),
  )
}
