import type { Chart } from '../document/document.js'
import { oneLine } from '../document/escape.js'
import { color } from '../theme/theme.js'
import { drawChart } from './chart.js'

const STRONGEST = 0.6
const LABEL_CHARACTERS = 16

/**
 * Confusion matrix: the shade of a cell is its share of the true class, and its text is the count and that share. The shades are light
 * enough for one readable text color on every cell, in both themes.
 */
export function confusionChart(
  matrix: readonly (readonly number[])[],
  classes: readonly string[],
  name: string,
): Chart {
  const count = classes.length
  const cell = Math.max(46, Math.min(96, Math.round(380 / count)))
  const longest = Math.min(LABEL_CHARACTERS, Math.max(...classes.map((label) => shorten(label).length)))
  const left = 48 + longest * 8.5
  const side = cell * count
  const width = Math.round(left + side + 16)
  const height = 8 + side + 30 + Math.round(longest * (count > 3 ? 5.5 : 0)) + 34
  const totals = matrix.map((row) => row.reduce((sum, value) => sum + value, 0))
  const axis = classAxis(classes)
  return drawChart({
    name,
    title: 'Confusion matrix',
    description: `Rows: true class, columns: predicted class. ${describe(matrix, classes)}`,
    width,
    height,
    option: {
      grid: { left, top: 8, width: side, height: side },
      xAxis: {
        ...axis,
        name: 'Predicted class',
        nameGap: height - side - 8 - 22,
        axisLabel: { ...axis.axisLabel, rotate: count > 3 ? 40 : 0 },
      },
      yAxis: { ...axis, inverse: true, name: 'True class', nameGap: left - 18 },
      series: [
        {
          type: 'custom',
          silent: true,
          data: matrix.flatMap((row, y) => row.map((value, x) => [x, y, value, totals[y] ?? 0])),
          renderItem: (_: unknown, api: CellApi) => drawCell(api, cell),
        },
      ],
    },
  })
}

function classAxis(classes: readonly string[]) {
  return {
    type: 'category' as const,
    data: classes.map(shorten),
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: color('ink'), fontSize: 12.5, interval: 0 },
    nameLocation: 'middle' as const,
    nameTextStyle: { color: color('ink'), fontSize: 13, fontWeight: 600 },
  }
}

/** Values of a cell: column, row, count, total of the row. */
interface CellApi {
  value(dimension: number): number
  coord(point: [number, number]): [number, number]
}

function drawCell(api: CellApi, size: number) {
  const value = api.value(2)
  const total = api.value(3)
  const [x, y] = api.coord([api.value(0), api.value(1)])
  const share = total > 0 ? value / total : 0
  const text = (words: string, shift: number, fontSize: number, fontWeight: number) => ({
    type: 'text',
    silent: true,
    style: {
      text: words,
      x,
      y: y + shift,
      align: 'center',
      verticalAlign: 'middle',
      fill: color('ink'),
      fontSize,
      fontWeight,
    },
  })
  const small = size < 60
  return {
    type: 'group',
    children: [
      {
        type: 'rect',
        silent: true,
        shape: { x: x - size / 2 + 1, y: y - size / 2 + 1, width: size - 2, height: size - 2, r: 3 },
        style: { fill: color('blue'), fillOpacity: 0.04 + (STRONGEST - 0.04) * share },
      },
      text(String(value), small ? -7 : -9, small ? 13 : 16, 600),
      text(total > 0 ? `${(100 * share).toFixed(0)}%` : '–', small ? 9 : 12, 11.5, 400),
    ],
  }
}

function shorten(name: string): string {
  const label = oneLine(name)
  return label.length > LABEL_CHARACTERS ? `${label.slice(0, LABEL_CHARACTERS - 1)}…` : label
}

function describe(matrix: readonly (readonly number[])[], classes: readonly string[]): string {
  return matrix
    .map((row, index) => {
      const total = row.reduce((sum, value) => sum + value, 0)
      return `${classes[index] ?? ''}: ${row[index] ?? 0} of ${total} correct.`
    })
    .join(' ')
}
