import type { Chart } from '../document/document.js'
import { formatNumber } from '../document/numbers.js'
import { color } from '../theme/theme.js'
import { valueAxis } from './axes.js'
import { drawChart } from './chart.js'

const BAR = 24
const MAX_LETTERS = 28

/** A value with its interval; low and high are null if there is none. */
export interface Bar {
  readonly label: string
  readonly value: number
  readonly low: number | null
  readonly high: number | null
}

/** One bar per value, the first on top, each with its interval. */
export function barChart(
  bars: readonly Bar[],
  { axis, ...labels }: Pick<Chart, 'name' | 'title' | 'description'> & { readonly axis: string },
): Chart {
  const drawn = [...bars].reverse()
  return drawChart({
    ...labels,
    width: 620,
    height: 70 + BAR * drawn.length,
    option: {
      grid: { left: 200, right: 24, top: 10, bottom: 50 },
      xAxis: valueAxis({ name: axis }),
      yAxis: {
        type: 'category',
        data: drawn.map(({ label }) => short(label)),
        axisLine: { lineStyle: { color: color('muted') } },
        axisTick: { show: false },
        axisLabel: { color: color('ink'), fontSize: 12, interval: 0 },
      },
      series: [
        {
          type: 'bar',
          silent: true,
          barWidth: 12,
          color: color('blue'),
          data: drawn.map(({ value }) => value),
        },
        {
          type: 'custom',
          silent: true,
          data: drawn.flatMap(({ low, high }, index) =>
            low === null || high === null ? [] : [[low, high, index]],
          ),
          // The axis includes the ends of the intervals.
          encode: { x: [0, 1], y: 2 },
          renderItem: drawInterval,
          z: 3,
        },
      ],
    },
  })
}

/** Text alternative of the chart. */
export function inBars(bars: readonly Bar[]): string {
  return bars.map(({ label, value }) => `${label} ${formatNumber(value)}`).join('; ')
}

interface Api {
  value(dimension: number): number
  coord(point: readonly number[]): number[]
}

function drawInterval(_: unknown, api: Api) {
  const [left = 0, height = 0] = api.coord([api.value(0), api.value(2)])
  const [right = 0] = api.coord([api.value(1), api.value(2)])
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style: { stroke: color('ink'), lineWidth: 1.4 },
  })
  return {
    type: 'group',
    children: [
      line(left, height, right, height),
      line(left, height - 4, left, height + 4),
      line(right, height - 4, right, height + 4),
    ],
  }
}

function short(name: string): string {
  return name.length > MAX_LETTERS ? `${name.slice(0, MAX_LETTERS - 1)}…` : name
}
