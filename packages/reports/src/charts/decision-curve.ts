import type { EvaluationResult } from '@medloom/contracts'
import type { Chart } from '../document/document.js'
import { color, seriesColor } from '../theme/theme.js'
import { LEGEND_LINE, legendBelow, valueAxis } from './axes.js'
import { drawChart } from './chart.js'

export type Curve = NonNullable<NonNullable<EvaluationResult['decision_curve']>['curve']>

const ROUNDED = 0.05

/** Net benefit by threshold probability, up to the last threshold with positive predictions; the part of treat-all far below zero is cut off. */
export function decisionChart(curve: Curve, positive: string, name: string): Chart {
  const { thresholds, model, treat_all } = curve
  const last = Math.max(2, model.findLastIndex((benefit) => benefit !== 0) + 2)
  const points = <Value>(values: readonly Value[]) =>
    values.slice(0, last).map((value, index): [number, Value] => [thresholds[index] ?? 0, value])
  const highest = Math.max(...model, ...treat_all)
  const max = Math.ceil((highest + 0.01) / ROUNDED) * ROUNDED
  const min = -Math.ceil((max * 0.25) / ROUNDED) * ROUNDED
  const labels = ['Model', 'Treat all', 'Treat none']
  const bounds = [curve.low, curve.high].filter((bound) => bound !== undefined)
  const width = 460
  const bottom = 48 + labels.length * LEGEND_LINE + 6
  const line = (label: string, data: [number, number][], style: object) => ({
    type: 'line' as const,
    name: label,
    silent: true,
    symbol: 'none',
    clip: true,
    data,
    ...style,
  })
  return drawChart({
    name,
    title: 'Decision curve',
    description: `Net benefit of the model for "${positive}" by threshold probability, compared with treating all and treating none.${bounds.length > 0 ? ' Thin lines: 95% CI at each threshold.' : ''}`,
    width,
    height: 320 + bottom,
    option: {
      grid: { left: 62, right: 20, top: 10, bottom },
      legend: legendBelow(labels, 56, width - 56),
      xAxis: valueAxis({
        name: 'Threshold probability',
        min: 0,
        max: Math.ceil((thresholds[last - 1] ?? 1) * 10) / 10,
      }),
      yAxis: valueAxis({ name: 'Net benefit', min, max, gap: 46 }),
      series: [
        line(
          'Treat none',
          [
            [0, 0],
            [1, 0],
          ],
          {
            color: color('ink'),
            lineStyle: { color: color('ink'), width: 1.2 },
          },
        ),
        line('Treat all', points(treat_all), {
          color: color('muted'),
          lineStyle: { color: color('muted'), width: 1.5, type: 'dashed' as const },
        }),
        ...bounds.map((bound) =>
          line('Model', known(points(bound)), {
            color: seriesColor(0),
            lineStyle: { width: 0.8, opacity: 0.7 },
          }),
        ),
        line('Model', points(model), { color: seriesColor(0), lineStyle: { width: 2.2 } }),
      ],
    },
  })
}

function known(points: readonly [number, number | null][]): [number, number][] {
  return points.flatMap(([x, y]): [number, number][] => (y === null ? [] : [[x, y]]))
}
