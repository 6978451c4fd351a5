import type { EvaluationResult } from '@medloom/contracts'
import type { Chart } from '../document/document.js'
import { seriesColor, seriesDash } from '../theme/theme.js'
import { LEGEND_LINE, legendBelow, referenceLine, thin, unitAxis } from './axes.js'
import { drawChart } from './chart.js'

const MAX_POINTS = 600

interface NamedCurve {
  readonly label: string
  readonly points: readonly (readonly [number, number])[]
}

/** ROC curves, one per class, with the diagonal of chance. `labels` are the legend entries, in the same order. */
export function rocChart(
  roc: NonNullable<EvaluationResult['roc']>,
  labels: readonly string[],
  name: string,
  title = 'ROC curve',
): Chart {
  const curves = roc.map(({ curve }, index) => ({ label: labels[index] ?? '', points: pairs(curve) }))
  return curveChart({
    name,
    title,
    description: `Sensitivity against 1 − specificity, with the chance diagonal. ${labels.join('; ')}.`,
    xName: '1 − specificity',
    yName: 'Sensitivity',
    curves,
    references: [
      [
        [0, 0],
        [1, 1],
      ],
    ],
  })
}

/** Precision against recall; the dashed lines are the prevalences, the precision of random predictions. */
export function prChart(
  pr: NonNullable<EvaluationResult['pr']>,
  labels: readonly string[],
  name: string,
): Chart {
  const curves = pr.map(({ curve }, index) => ({ label: labels[index] ?? '', points: pairs(curve) }))
  return curveChart({
    name,
    title: 'Precision-recall curve',
    description: `PPV against sensitivity; dashed lines mark the prevalence. ${labels.join('; ')}.`,
    xName: 'Sensitivity (recall)',
    yName: 'PPV (precision)',
    curves,
    references: pr.map(({ prevalence }) => [
      [0, prevalence],
      [1, prevalence],
    ]),
  })
}

interface CurveChart {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly xName: string
  readonly yName: string
  readonly curves: readonly NamedCurve[]
  readonly references: readonly (readonly (readonly [number, number])[])[]
}

function curveChart({ name, title, description, xName, yName, curves, references }: CurveChart): Chart {
  const width = 460
  const bottom = 48 + curves.length * LEGEND_LINE + 6
  const own = references.length === curves.length && curves.length > 1
  return drawChart({
    name,
    title,
    description,
    width,
    height: 384 + bottom,
    option: {
      grid: { left: 62, right: 20, top: 10, bottom },
      legend: legendBelow(
        curves.map(({ label }) => label),
        56,
        width - 56,
      ),
      xAxis: unitAxis(xName),
      yAxis: unitAxis(yName, { gap: 40 }),
      series: [
        ...references.map((points, index) => ({
          ...referenceLine(points),
          ...(own
            ? { lineStyle: { color: seriesColor(index), width: 1, type: 'dashed' as const, opacity: 0.6 } }
            : {}),
        })),
        ...curves.map(({ label, points }, index) => ({
          type: 'line' as const,
          name: label,
          silent: true,
          symbol: 'none',
          color: seriesColor(index),
          lineStyle: { width: 2, type: seriesDash(index) },
          data: thin(points, MAX_POINTS),
        })),
      ],
    },
  })
}

function pairs({ x, y }: { x: readonly number[]; y: readonly number[] }): [number, number][] {
  return x.map((value, index) => [value, y[index] ?? 0])
}
