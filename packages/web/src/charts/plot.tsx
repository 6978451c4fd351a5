import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import type { ReactNode } from 'react'
import { PlainTable } from '../components/plain-table'
import { useFormatters } from '../text/formatters'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import styles from './plot.module.css'

const [WIDTH, HEIGHT] = [380, 300]
const MARGIN = { left: 52, right: 14, top: 10, bottom: 46 } as const
const TICKS = 5

export interface Axis {
  readonly label: string
  readonly domain: readonly [number, number]
}
export type Point = readonly [x: number, y: number]
/** Mapping from values to positions in the plot. */
export interface Scales {
  readonly x: (value: number) => number
  readonly y: (value: number) => number
}
export interface PlotTable {
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

/** A plot with two axes, its legend and its table. */
export function Plot({
  title,
  x,
  y,
  legend = [],
  table,
  children,
}: {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  /** Name of each series, in order; a single series needs no legend. */
  readonly legend?: readonly string[]
  readonly table: PlotTable
  readonly children: (scales: Scales) => ReactNode
}) {
  const t = useText(parts)
  const scales = {
    x: scaleLinear(x.domain, [MARGIN.left, WIDTH - MARGIN.right]),
    y: scaleLinear(y.domain, [HEIGHT - MARGIN.bottom, MARGIN.top]),
  }
  return (
    <figure className={styles.plot}>
      <figcaption className={styles.title}>{title}</figcaption>
      <svg className={styles.drawing} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        <Axes x={x} y={y} scales={scales} />
        {children(scales)}
      </svg>
      {legend.length > 1 && (
        <ul className={styles.legend}>
          {legend.map((name, index) => (
            <li key={name}>
              <svg className={styles.sample} viewBox="0 0 28 8" aria-hidden="true">
                <path d="M0 4H28" className={styles.line} data-series={index + 1} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details className={styles.table}>
        <summary>{t('plot.table')}</summary>
        <PlainTable label={title} head={table.head} rows={table.rows} />
      </details>
    </figure>
  )
}

function Axes({
  x,
  y,
  scales,
}: {
  readonly x: Axis
  readonly y: Axis
  readonly scales: { readonly x: ReturnType<typeof scaleLinear>; readonly y: ReturnType<typeof scaleLinear> }
}) {
  const format = useFormatters()
  const [bottom, right] = [HEIGHT - MARGIN.bottom, WIDTH - MARGIN.right]
  return (
    <g className={styles.axes}>
      {scales.x.ticks(TICKS).map((tick) => (
        <g key={tick} transform={`translate(${scales.x(tick)} 0)`}>
          <path d={`M0 ${MARGIN.top}V${bottom}`} />
          <text y={bottom + 16} textAnchor="middle">
            {format.tick(tick)}
          </text>
        </g>
      ))}
      {scales.y.ticks(TICKS).map((tick) => (
        <g key={tick} transform={`translate(0 ${scales.y(tick)})`}>
          <path d={`M${MARGIN.left} 0H${right}`} />
          <text x={MARGIN.left - 6} y="4" textAnchor="end">
            {format.tick(tick)}
          </text>
        </g>
      ))}
      <text className={styles.label} x={(MARGIN.left + right) / 2} y={HEIGHT - 8} textAnchor="middle">
        {x.label}
      </text>
      <text
        className={styles.label}
        transform={`translate(12 ${(MARGIN.top + bottom) / 2}) rotate(-90)`}
        textAnchor="middle"
      >
        {y.label}
      </text>
    </g>
  )
}

/** A line through points. series: number of its color and dash pattern, from 1; 0: a reference line. */
export function PlotLine({
  points,
  scales,
  series,
  thin = false,
}: {
  readonly points: readonly Point[]
  readonly scales: Scales
  readonly series: number
  /** The line is a bound of another line. */
  readonly thin?: boolean
}) {
  const path = line<Point>()
    .x(([x]) => scales.x(x))
    .y(([, y]) => scales.y(y))(points)
  return <path d={path ?? ''} className={styles.line} data-series={series} data-thin={thin || undefined} />
}

/** Marker of the current position. */
export function PlotMark({ point, scales }: { readonly point: Point; readonly scales: Scales }) {
  return <circle className={styles.mark} cx={scales.x(point[0])} cy={scales.y(point[1])} r="6" />
}

/** Vertical line at a value of the horizontal axis. */
export function PlotRule({ x, scales }: { readonly x: number; readonly scales: Scales }) {
  return <path className={styles.rule} d={`M${scales.x(x)} ${MARGIN.top}V${HEIGHT - MARGIN.bottom}`} />
}

/** Points for single cases or groups of cases. */
export function PlotDots({
  points,
  scales,
  small = false,
  onPress,
}: {
  readonly points: readonly Point[]
  readonly scales: Scales
  readonly small?: boolean
  /** The table must offer the same action, because the keyboard cannot reach the points. */
  readonly onPress?: ((index: number) => void) | undefined
}) {
  return (
    <g className={styles.dots} data-press={onPress !== undefined}>
      {points.map(([x, y], index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <circle
          key={index}
          cx={scales.x(x)}
          cy={scales.y(y)}
          r={small ? 2.2 : 5}
          onClick={onPress && (() => onPress(index))}
        />
      ))}
    </g>
  )
}

/** Interval of each point. */
export function PlotBars({
  bars,
  scales,
}: {
  readonly bars: readonly { readonly x: number; readonly low: number; readonly high: number }[]
  readonly scales: Scales
}) {
  const path = bars.map(({ x, low, high }) => `M${scales.x(x)} ${scales.y(low)}V${scales.y(high)}`).join('')
  return <path className={styles.bars} d={path} />
}
