import type { EvaluationResult } from '@medloom/contracts'
import type { Chart } from '../document/document.js'
import { countOf } from '../document/numbers.js'
import { color } from '../theme/theme.js'
import { referenceLine, unitAxis, valueAxis } from './axes.js'
import { drawChart } from './chart.js'

/** Observed against predicted frequency with 95% CIs per bin, above the number of cases in each bin. */
export function calibrationChart(
  { bins }: NonNullable<EvaluationResult['calibration']>,
  xName: string,
  name: string,
): Chart {
  const filled = bins.filter((bin) => bin.count > 0)
  const upper = { silent: true, xAxisIndex: 0, yAxisIndex: 0 }
  return drawChart({
    name,
    title: 'Calibration',
    description: `Observed against predicted frequency in ${countOf(filled.length, 'bin')} with 95% CIs; the diagonal is ideal. Below: cases per bin.`,
    width: 460,
    height: 500,
    option: {
      grid: [
        { left: 62, right: 20, top: 10, height: 330 },
        { left: 62, right: 20, top: 366, height: 76 },
      ],
      xAxis: [
        { ...unitAxis('', { gridIndex: 0, hideLabels: true }) },
        { ...unitAxis(xName, { gridIndex: 1 }), splitLine: { show: false } },
      ],
      yAxis: [
        unitAxis('Observed frequency', { gridIndex: 0, gap: 40 }),
        { ...valueAxis({ name: 'Cases', gridIndex: 1, gap: 40 }), minInterval: 1, splitNumber: 2 },
      ],
      series: [
        { ...upper, ...referenceLine(DIAGONAL) },
        {
          ...upper,
          type: 'custom',
          data: filled.map((bin) => [bin.predicted, bin.low, bin.high]),
          renderItem: (_: unknown, api: PointApi) => drawInterval(api),
        },
        {
          ...upper,
          type: 'line',
          color: color('blue'),
          symbol: 'circle',
          symbolSize: 8,
          lineStyle: { width: 1.6 },
          itemStyle: { color: color('blue') },
          data: filled.map((bin) => [bin.predicted, bin.observed]),
        },
        {
          type: 'custom',
          silent: true,
          xAxisIndex: 1,
          yAxisIndex: 1,
          data: filled.map((bin) => [bin.predicted, bin.count]),
          encode: { x: 0, y: 1 },
          renderItem: (_: unknown, api: PointApi) => drawBar(api),
        },
      ],
    },
  })
}

const DIAGONAL = [
  [0, 0],
  [1, 1],
] as const

interface PointApi {
  value(dimension: number): number
  coord(point: [number, number]): [number, number]
}

/** Values of a bin: predicted frequency, lower and upper bound of the observed frequency. */
function drawInterval(api: PointApi) {
  const [x, low] = api.coord([api.value(0), api.value(1)])
  const [, high] = api.coord([api.value(0), api.value(2)])
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: 'line',
    silent: true,
    shape: { x1, y1, x2, y2 },
    style: { stroke: color('blue'), lineWidth: 1.4 },
  })
  return {
    type: 'group',
    children: [line(x, low, x, high), line(x - 4, low, x + 4, low), line(x - 4, high, x + 4, high)],
  }
}

/** Values of a bin: predicted frequency, number of cases. */
function drawBar(api: PointApi) {
  const [x, top] = api.coord([api.value(0), api.value(1)])
  const [, base] = api.coord([api.value(0), 0])
  return {
    type: 'rect',
    silent: true,
    shape: { x: x - 6, y: top, width: 12, height: Math.max(base - top, 1) },
    style: { fill: color('blue'), fillOpacity: 0.55 },
  }
}
