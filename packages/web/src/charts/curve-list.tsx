import { CurveChart, type Line, type Window } from './curve-chart'
import { CurveTable } from './curve-table'

/** Lines over steps, before anybody has decided how they are shown. */
export interface Curve {
  readonly title: string
  readonly steps: readonly number[]
  readonly lines: readonly Line[]
}

/** One after the other, as drawings or in figures. */
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
