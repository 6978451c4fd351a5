import type { Chart } from '../document/document.js'
import { metricName } from '../document/metric-names.js'
import { countOf } from '../document/numbers.js'
import { color, seriesColor } from '../theme/theme.js'
import { LEGEND_LINE, legendBelow, thin, valueAxis } from './axes.js'
import { drawChart } from './chart.js'

export interface EpochMetrics {
  readonly epoch: number
  readonly metrics: Readonly<Record<string, number | null>>
}

interface LearningCurve {
  readonly name: string
  readonly title: string
  readonly yName: string
  readonly keys: readonly string[]
  readonly history: readonly EpochMetrics[]
  readonly bestEpoch: number | null
}

/** One line per metric over the epochs, with the best epoch marked. A null value is a gap. */
export function learningCurve({ name, title, yName, keys, history, bestEpoch }: LearningCurve): Chart {
  const labels = keys.map((key) => metricName(key).label)
  const legend = keys.length * LEGEND_LINE + 6
  const width = 460
  const symbols = history.length <= 30
  const shown = thin(history, 1000)
  const bottom = legend + 48
  const ends = {
    first: Math.min(1, ...shown.map((row) => row.epoch)),
    last: Math.max(2, ...shown.map((row) => row.epoch)),
  }
  return drawChart({
    name,
    title,
    description: describe(labels, history, bestEpoch),
    width,
    height: 250 + bottom,
    option: {
      grid: { left: 62, right: 16, top: 26, bottom },
      legend: legendBelow(labels, 56, width - 56),
      xAxis: {
        ...valueAxis({
          name: 'Epoch',
          min: ends.first,
          max: ends.last,
        }),
        minInterval: 1,
      },
      yAxis: valueAxis({ name: yName, gap: 44, scale: true }),
      series: keys.map((key, index) => ({
        type: 'line',
        name: labels[index],
        silent: true,
        color: seriesColor(index),
        symbol: index % 2 === 0 ? 'circle' : 'diamond',
        symbolSize: 6,
        showSymbol: symbols,
        connectNulls: false,
        lineStyle: { width: 2, type: index % 2 === 0 ? 'solid' : 'dashed' },
        data: shown.map((row) => [row.epoch, row.metrics[key] ?? null]),
        ...(index === 0 && bestEpoch !== null ? { markLine: bestLine(bestEpoch, ends) } : {}),
      })),
    },
  })
}

/** The label stays inside the drawing: near an end of the axis it starts or ends at the line. */
function bestLine(epoch: number, { first, last }: { readonly first: number; readonly last: number }) {
  const place = (epoch - first) / (last - first)
  const align = place < 0.1 ? 'left' : place > 0.9 ? 'right' : 'center'

  return {
    silent: true,
    symbol: 'none',
    data: [{ xAxis: epoch }],
    lineStyle: { color: color('muted'), type: 'dotted', width: 1.5 },
    label: { formatter: `best: ${epoch}`, align, color: color('muted'), fontSize: 12, textBorderWidth: 0 },
  }
}

function describe(labels: readonly string[], history: readonly EpochMetrics[], best: number | null): string {
  const span = `${labels.join(' and ')} over ${countOf(history.length, 'epoch')}`
  return best === null ? `${span}.` : `${span}; the best epoch, ${best}, is marked.`
}
