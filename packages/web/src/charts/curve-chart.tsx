import 'uplot/dist/uPlot.min.css'
import { useLayoutEffect, useMemo, useRef } from 'react'
import UPlot from 'uplot'
import { resolveColors, useColorScheme } from '../components/colors'
import { charts as text } from '../text/charts'
import { NONE, useFormatters } from '../text/formatters'
import { useText } from '../text/use-text'
import { axisRange, type Window } from './axis-range'
import styles from './curve-chart.module.css'
import { useNearViewport } from './use-near-viewport'

export interface Line {
  readonly name: string
  /** null: a gap; undefined: this line has no such step, and the line connects across it. */
  readonly values: readonly (number | null | undefined)[]
  /** Drawn faintly in the background: the unsmoothed values or the range of each bucket. */
  readonly raw?: readonly (number | null)[]
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
  const container = useRef<HTMLDivElement>(null)
  const { isNear, wasNear } = useNearViewport(container)
  const chart = useRef<UPlot>(null)
  const format = useFormatters()
  const t = useText(text)
  const zoom = useRef(onWindow)
  zoom.current = onWindow
  const scheme = useColorScheme()
  const labels = useMemo(() => ({ step: t('step'), raw: (name: string) => t('raw', { name }) }), [t])
  const shape = lines.map(({ name, raw }) => `${name}${raw ? '*' : ''}`).join('|')

  // Runs before the browser paints: the chart takes the reserved space, and the content below does not move.
  useLayoutEffect(() => {
    const element = container.current
    if (!element || !wasNear) return
    const colors = readColors(element)
    const options = chartOptions(element, colors, {
      lines,
      logarithmic,
      formatValue: format.metric,
      formatTick: format.tick,
      labels,
      zoom,
    })
    const plot = new UPlot(options, dataOf(steps, lines), element)
    chart.current = plot
    const resize = new ResizeObserver(() => {
      // The observer also reports the initial size, and a resized chart is drawn again.
      if (element.clientWidth !== plot.width) plot.setSize({ width: element.clientWidth, height: HEIGHT })
    })
    resize.observe(element)
    return () => {
      resize.disconnect()
      plot.destroy()
      chart.current = null
    }
  }, [shape, logarithmic, format, labels, scheme, wasNear])

  useLayoutEffect(() => {
    const plot = chart.current
    if (!plot || !isNear) return
    plot.setData(dataOf(steps, lines), false)
    plot.setScale('x', axisRange(steps, window))
  }, [steps, lines, window, isNear])

  return (
    <figure className={styles.chart} aria-label={title}>
      <figcaption className={styles.title}>{title}</figcaption>
      <div ref={container} className={styles.container}>
        {!wasNear && (
          <Placeholder names={[labels.step, ...lines.flatMap((line) => legendNames(line, labels))]} />
        )}
      </div>
    </figure>
  )
}

/** Placeholder with the height of the chart and its legend, whose number of lines depends on the names. */
function Placeholder({ names }: { readonly names: readonly string[] }) {
  return (
    <div className={`uplot ${styles.placeholder}`} aria-hidden>
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

type Labels = DrawingOptions['labels']

/** Legend entries of a line, including the values in its background. */
function legendNames({ name, raw }: Line, labels: Labels): string[] {
  return raw ? [labels.raw(name), name] : [name]
}

interface DrawingOptions {
  readonly lines: readonly Line[]
  readonly logarithmic: boolean
  readonly formatValue: (value: number | null | undefined) => string
  readonly formatTick: (value: number) => string
  readonly labels: { readonly step: string; readonly raw: (name: string) => string }
  readonly zoom: React.RefObject<((window: Window | undefined) => void) | undefined>
}

function chartOptions(element: HTMLElement, colors: Colors, drawing: DrawingOptions): UPlot.Options {
  const { lines, logarithmic, labels, zoom, formatTick } = drawing
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
      {
        ...axis,
        size: 64,
        values: (_, splits) => splits.map((tick) => (tick === null ? '' : formatTick(tick))),
      },
    ],
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: 'curves' } },
    legend: { live: true },
    series: [
      { label: labels.step, value: (_, value) => (value === null ? NONE : String(Math.round(value))) },
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

function seriesOf(line: Line, color: string, { formatValue, labels }: DrawingOptions): UPlot.Series[] {
  const value = (_: UPlot, raw: number | null) => formatValue(raw)
  const shared = { label: line.name, spanGaps: false, points: { show: line.values.length < 60, size: 5 } }
  const main = { ...shared, stroke: color, width: 2, value }
  if (!line.raw) return [main]
  return [
    {
      ...shared,
      stroke: `${color}55`,
      width: 1,
      points: { show: false },
      label: labels.raw(line.name),
      value,
    },
    main,
  ]
}

function dataOf(steps: readonly number[], lines: readonly Line[]): UPlot.AlignedData {
  const columns = lines.flatMap(({ raw, values }) => (raw ? [raw, values] : [values]))
  return [steps, ...columns] as unknown as UPlot.AlignedData
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
