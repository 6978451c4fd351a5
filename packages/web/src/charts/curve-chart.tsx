import 'uplot/dist/uPlot.min.css'
import { useLayoutEffect, useMemo, useRef } from 'react'
import UPlot from 'uplot'
import { resolveColors, useColorScheme } from '../components/colors'
import { charts as text } from '../text/charts'
import { NONE, useFigures } from '../text/figures'
import { useText } from '../text/use-text'
import styles from './curve-chart.module.css'
import { useNear } from './use-near'

export interface Line {
  readonly name: string
  /** null: a gap; undefined: this line has no such step, and the line connects across it. */
  readonly values: readonly (number | null | undefined)[]
  /** Drawn faintly in the background: the unsmoothed values or the range of each bucket. */
  readonly raw?: readonly (number | null)[]
}

export interface Window {
  readonly from: number
  readonly to: number
}

const HEIGHT = 220
const COLORS = 7

/**
 * Lines over a shared axis, on a canvas. Dragging sideways zooms in; several charts may share the window. A double click resets the zoom.
 * The table of a chart gives screen readers the same data.
 */
export function CurveChart({
  title,
  steps,
  lines,
  logarithmic = false,
  window,
  onWindow,
}: {
  readonly title: string
  readonly steps: readonly number[]
  readonly lines: readonly Line[]
  readonly logarithmic?: boolean
  readonly window?: Window | undefined
  readonly onWindow?: (window: Window | undefined) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const { isNear, wasNear } = useNear(place)
  const chart = useRef<UPlot>(null)
  const figures = useFigures()
  const t = useText(text)
  const zoom = useRef(onWindow)
  zoom.current = onWindow
  const scheme = useColorScheme()
  const words = useMemo(() => ({ step: t('step'), raw: (name: string) => t('raw', { name }) }), [t])
  const shape = lines.map(({ name, raw }) => `${name}${raw ? '*' : ''}`).join('|')

  // Runs before the browser paints: the chart takes the reserved space, and the content below does not move.
  useLayoutEffect(() => {
    const element = place.current
    if (!element || !wasNear) return
    const colors = readColors(element)
    const options = optionsOf(element, colors, { lines, logarithmic, format: figures.metric, words, zoom })
    const made = new UPlot(options, dataOf(steps, lines), element)
    chart.current = made
    const resize = new ResizeObserver(() => {
      // The observer also reports the initial size, and a resized chart is drawn again.
      if (element.clientWidth !== made.width) made.setSize({ width: element.clientWidth, height: HEIGHT })
    })
    resize.observe(element)
    return () => {
      resize.disconnect()
      made.destroy()
      chart.current = null
    }
  }, [shape, logarithmic, figures, words, scheme, wasNear])

  useLayoutEffect(() => {
    const made = chart.current
    if (!made || !isNear) return
    made.setData(dataOf(steps, lines), false)
    made.setScale('x', rangeOf(steps, window))
  }, [steps, lines, window, isNear])

  return (
    <figure className={styles.chart} aria-label={title}>
      <figcaption className={styles.title}>{title}</figcaption>
      <div ref={place} className={styles.place}>
        {!wasNear && <Room names={[words.step, ...lines.flatMap((line) => namesIn(line, words))]} />}
      </div>
    </figure>
  )
}

/** Placeholder with the height of the chart and its legend, whose number of lines depends on the names. */
function Room({ names }: { readonly names: readonly string[] }) {
  return (
    <div className={`uplot ${styles.room}`} aria-hidden>
      <div style={{ height: HEIGHT }} />
      <table className="u-legend u-inline u-live">
        <tbody>
          {names.map((name, index) => (
            <tr key={index} className="u-series">
              <th>
                <div className="u-marker" />
                <div className="u-label">{name}</div>
              </th>
              <td className="u-value">{NONE}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Words = Drawing['words']

/** Legend entries of a line, including the values in its background. */
function namesIn({ name, raw }: Line, words: Words): string[] {
  return raw ? [words.raw(name), name] : [name]
}

interface Drawing {
  readonly lines: readonly Line[]
  readonly logarithmic: boolean
  readonly format: (value: number | null | undefined) => string
  readonly words: { readonly step: string; readonly raw: (name: string) => string }
  readonly zoom: React.RefObject<((window: Window | undefined) => void) | undefined>
}

function optionsOf(element: HTMLElement, colors: Colors, drawing: Drawing): UPlot.Options {
  const { lines, logarithmic, words, zoom } = drawing
  const axis = {
    stroke: colors.text,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
    font: `12px ${colors.font}`,
  }
  return {
    width: element.clientWidth || 600,
    height: HEIGHT,
    scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
    axes: [
      { ...axis, size: 28 },
      { ...axis, size: 64, values: (_, splits) => splits.map(tick) },
    ],
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: 'curves' } },
    legend: { live: true },
    series: [
      { label: words.step, value: (_, value) => (value === null ? NONE : String(Math.round(value))) },
      ...lines.flatMap((line, index) => seriesOf(line, colors.lines[index % COLORS] ?? '', drawing)),
    ],
    hooks: {
      setSelect: [
        (chart) => {
          if (chart.select.width < 4) return
          const left = chart.posToVal(chart.select.left, 'x')
          const right = chart.posToVal(chart.select.left + chart.select.width, 'x')
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          zoom.current?.({ from: Math.floor(left), to: Math.ceil(right) })
        },
      ],
      ready: [(chart) => chart.over.addEventListener('dblclick', () => zoom.current?.(undefined))],
    },
  }
}

/** Axis label in the shortest exact form: a learning rate must not appear as 0.001 five times. */
function tick(value: number | null): string {
  if (value === null || value === 0) return value === null ? '' : '0'
  const short = Number(value.toPrecision(6))
  return Math.abs(short) < 0.001 || Math.abs(short) >= 1e6 ? short.toExponential() : String(short)
}

function seriesOf(line: Line, color: string, { format, words }: Drawing): UPlot.Series[] {
  const value = (_: UPlot, given: number | null) => format(given)
  const shared = { label: line.name, spanGaps: false, points: { show: line.values.length < 60, size: 5 } }
  const main = { ...shared, stroke: color, width: 2, value }
  if (!line.raw) return [main]
  return [
    {
      ...shared,
      stroke: `${color}55`,
      width: 1,
      points: { show: false },
      label: words.raw(line.name),
      value,
    },
    main,
  ]
}

function dataOf(steps: readonly number[], lines: readonly Line[]): UPlot.AlignedData {
  const columns = lines.flatMap(({ raw, values }) => (raw ? [raw, values] : [values]))
  return [steps, ...columns] as unknown as UPlot.AlignedData
}

function rangeOf(steps: readonly number[], window: Window | undefined): { min: number; max: number } {
  if (window) return { min: window.from, max: window.to }
  const first = steps[0] ?? 0
  const last = steps.at(-1) ?? 1
  return first === last ? { min: first - 1, max: last + 1 } : { min: first, max: last }
}

interface Colors {
  readonly text: string
  readonly grid: string
  readonly font: string
  readonly lines: readonly string[]
}

function readColors(element: HTMLElement): Colors {
  const color = resolveColors(element)
  return {
    text: hex(color('--ink-soft')),
    grid: hex(color('--hairline')),
    font: getComputedStyle(element).fontFamily,
    lines: Array.from({ length: COLORS }, (_, index) => hex(color(`--series-${index + 1}`))),
  }
}

/** "rgb(1, 2, 3)" → "#010203", so that an opacity can be appended. */
function hex(color: string): string {
  const parts = color.match(/[\d.]+/g)?.slice(0, 3) ?? ['0', '0', '0']
  return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('')}`
}
