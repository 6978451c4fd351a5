import type { EvaluationResult } from '@medloom/contracts'
import type { Chart } from '../document/document.js'
import { countOf, formatNumber } from '../document/numbers.js'
import { color } from '../theme/theme.js'
import { referenceLine, thin, valueAxis } from './axes.js'
import { drawChart } from './chart.js'

const MAX_POINTS = 3000

type Regression = NonNullable<EvaluationResult['regression']>

/** Predicted against true values, with the line of identity. */
export function scatterChart({ truth, predicted }: Regression, name: string): Chart {
  const all = [...truth, ...predicted]
  const low = all.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = all.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  const points = truth.map((value, index): [number, number] => [value, predicted[index] ?? value])
  return pointChart({
    name,
    title: 'Predicted and true values',
    description: `${countOf(truth.length, 'case')}; the dashed line marks perfect agreement.`,
    xName: 'True value',
    yName: 'Predicted value',
    points,
    references:
      truth.length > 0
        ? [
            {
              points: [
                [low, low],
                [high, high],
              ],
              label: '',
            },
          ]
        : [],
  })
}

/** Difference (predicted minus true) against the mean of both, with the bias and the 95% limits of agreement. */
export function blandAltmanChart(
  { truth, predicted, bias, loa_low, loa_high }: Regression,
  name: string,
): Chart {
  const points = truth.map((value, index): [number, number] => {
    const guess = predicted[index] ?? value
    return [(value + guess) / 2, guess - value]
  })
  const left = points.reduce((least, [x]) => Math.min(least, x), Number.POSITIVE_INFINITY)
  const right = points.reduce((most, [x]) => Math.max(most, x), Number.NEGATIVE_INFINITY)
  const line = (height: number, label: string): Reference => ({
    points: [
      [left, height],
      [right, height],
    ],
    label: `${label}: ${formatNumber(height)}`,
  })
  return pointChart({
    name,
    title: 'Bland–Altman plot',
    description: `Bias ${formatNumber(bias)}, limits of agreement ${formatNumber(loa_low)} to ${formatNumber(loa_high)}, over ${countOf(truth.length, 'case')}.`,
    xName: 'Mean of predicted and true value',
    yName: 'Predicted − true',
    points,
    references:
      truth.length > 0 ? [line(loa_high, '+1.96 SD'), line(bias, 'bias'), line(loa_low, '-1.96 SD')] : [],
  })
}

interface Reference {
  readonly points: readonly (readonly [number, number])[]
  readonly label: string
}

interface PointChart {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly xName: string
  readonly yName: string
  readonly points: readonly [number, number][]
  readonly references: readonly Reference[]
}

function pointChart({ name, title, description, xName, yName, points, references }: PointChart): Chart {
  return drawChart({
    name,
    title,
    description,
    width: 460,
    height: 400,
    option: {
      grid: { left: 66, right: 24, top: 14, bottom: 50 },
      xAxis: valueAxis({ name: xName, scale: true }),
      yAxis: valueAxis({ name: yName, scale: true, gap: 48 }),
      series: [
        {
          type: 'scatter',
          silent: true,
          symbolSize: points.length > 500 ? 4 : 6,
          itemStyle: { color: color('blue'), opacity: points.length > 500 ? 0.4 : 0.6 },
          data: thin(points, MAX_POINTS),
        },
        ...references.map(({ points: ends, label }) => ({
          ...referenceLine(ends),
          z: 3,
          endLabel: {
            show: label !== '',
            formatter: label,
            align: 'right' as const,
            offset: [-8, -9] as [number, number],
            color: color('ink'),
            fontSize: 12,
          },
        })),
      ],
    },
  })
}
