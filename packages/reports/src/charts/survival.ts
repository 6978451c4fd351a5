import type { EvaluationResult } from '@medloom/contracts'
import type { Chart } from '../document/document.js'
import { countOf } from '../document/numbers.js'
import { seriesColor, seriesDash } from '../theme/theme.js'
import { LEGEND_LINE, legendBelow, unitAxis, valueAxis } from './axes.js'
import { drawChart } from './chart.js'

type Groups = NonNullable<EvaluationResult['survival']>['groups']

/** Observed survival of each group, with a step at every event. */
export function survivalChart(groups: Groups, name: string): Chart {
  const labels = groups.map(
    ({ name: group, cases, events }) => `${group} (${countOf(events, 'event')} in ${countOf(cases, 'case')})`,
  )
  return drawChart({
    name,
    title: 'Event-free survival by risk group',
    description: `Kaplan-Meier curves by thirds of predicted risk. ${labels.join('; ')}.`,
    width: 460,
    height: 380 + labels.length * LEGEND_LINE,
    option: {
      grid: { left: 62, right: 20, top: 10, bottom: 60 + labels.length * LEGEND_LINE },
      legend: legendBelow(labels, 62, 378),
      xAxis: valueAxis({ name: 'Time', gap: 28 }),
      yAxis: unitAxis('Event-free survival', { gap: 40 }),
      series: groups.map(({ curve }, index) => ({
        type: 'line',
        step: 'end',
        name: labels[index],
        symbol: 'none',
        color: seriesColor(index),
        lineStyle: { width: 1.8, type: seriesDash(index) },
        data: curve.x.map((time, index) => [time, curve.y[index]]),
      })),
    },
  })
}
