import type { Chart } from '../document/document.js'
import { oneLine } from '../document/escape.js'
import { color } from '../theme/theme.js'
import { referenceLine, valueAxis } from './axes.js'
import { drawChart } from './chart.js'

/** A variant: its single trainings, and the estimate with its interval. */
export interface VariantPoints {
  readonly name: string
  readonly trainings: readonly number[]
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
}

const ROW = 40
const LONGEST_NAME = 26
/** Single trainings are below the interval of their row, so that neither covers the other. */
const BELOW = 0.24

/** One row per variant: small points are single trainings, the square is the estimate on its 95% CI. */
export function studyChart(
  variants: readonly VariantPoints[],
  metric: string,
  reference: string | null,
  name: string,
): Chart {
  const rows = variants.length
  const names = variants.map((variant) => shortened(variant.name))
  const compared = variants.find((variant) => variant.name === reference)?.estimate ?? null
  const longest = Math.max(...names.map((label) => label.length))
  return drawChart({
    name,
    title: `${metric}: estimates and single trainings`,
    description: `Small points are single trainings; squares are estimates with their 95% CIs.${
      compared === null ? '' : ` The dashed line marks the estimate of ${oneLine(reference ?? '')}.`
    }`,
    width: 660,
    height: (rows + 1) * ROW + 46,
    option: {
      grid: { left: 24 + longest * 7.5, right: 24, top: 4, bottom: 46 },
      xAxis: valueAxis({ name: metric, scale: true }),
      yAxis: {
        type: 'value',
        min: 0,
        max: rows + 1,
        interval: 1,
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: { show: false },
        axisLabel: {
          color: color('ink'),
          fontSize: 12.5,
          formatter: (row: number) => names[rows - row] ?? '',
        },
      },
      series: [
        ...(compared === null
          ? []
          : [
              referenceLine([
                [compared, 0],
                [compared, rows + 1],
              ]),
            ]),
        ...variants.flatMap((variant, index) => rowOf(variant, rows - index)),
      ],
    },
  })
}

function rowOf({ trainings, estimate, low, high }: VariantPoints, row: number) {
  const points = {
    type: 'scatter' as const,
    silent: true,
    symbolSize: 5,
    color: color('muted'),
    data: trainings.map((value) => [value, row - BELOW]),
  }
  const interval = {
    type: 'line' as const,
    silent: true,
    symbol: 'none',
    color: color('blue'),
    lineStyle: { color: color('blue'), width: 2 },
    data: low === null || high === null ? [] : [low, high].map((value) => [value, row]),
  }
  const square = {
    type: 'scatter' as const,
    silent: true,
    symbol: 'rect',
    symbolSize: 9,
    color: color('blue'),
    data: estimate === null ? [] : [[estimate, row]],
  }
  return [points, interval, square]
}

function shortened(name: string): string {
  const label = oneLine(name)
  return label.length > LONGEST_NAME ? `${label.slice(0, LONGEST_NAME - 1)}…` : label
}
