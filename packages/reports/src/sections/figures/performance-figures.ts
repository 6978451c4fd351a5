import type { EvaluationResult } from '@medloom/contracts'
import { thin } from '../../charts/axes.js'
import { calibrationChart } from '../../charts/calibration.js'
import { confusionChart } from '../../charts/confusion.js'
import { prChart, rocChart } from '../../charts/curves.js'
import { type Figure, numeric, type Section, table } from '../../document/document.js'
import { oneLine } from '../../document/escape.js'
import { metricName } from '../../document/metric-names.js'
import { DASH, formatCount, formatNumber, formatShare, formatUnit } from '../../document/numbers.js'
import { regressionFigures } from './regression-figures.js'
import { survivalFigures } from './survival-figures.js'

const LISTED_POINTS = 25

/** Part of an evaluation result that the charts read. */
export type DrawnResult = Pick<
  EvaluationResult,
  | 'classes'
  | 'positive_class'
  | 'metrics'
  | 'notes'
  | 'per_class'
  | 'confusion_matrix'
  | 'roc'
  | 'pr'
  | 'calibration'
  | 'regression'
> &
  Partial<Pick<EvaluationResult, 'survival'>>

/** Performance charts. `prefix` starts the names of their files. */
export function performanceFigures(result: DrawnResult, prefix: string): Section | null {
  const figures = [
    ...(result.roc ? [rocFigure(result.roc, result, prefix)] : []),
    ...(result.pr ? [prFigure(result.pr, result, prefix)] : []),
    ...(result.confusion_matrix && result.classes
      ? [confusionFigure(result.confusion_matrix, result.classes, prefix)]
      : []),
    ...agreementFigures(result, prefix),
  ]
  if (figures.length === 0) return null
  return { id: 'figures', title: 'Figures', blocks: [{ kind: 'figures', figures }] }
}

/** Agreement of probabilities or values with the truth: calibration, or scatter and Bland–Altman. */
export function agreementFigures(result: DrawnResult, prefix: string): Figure[] {
  return [
    ...(result.calibration && result.calibration.bins.length > 0
      ? [calibrationFigure(result.calibration, result, prefix)]
      : []),
    ...(result.per_class ?? []).flatMap(({ name, calibration }, index) =>
      calibration && calibration.bins.length > 0
        ? [calibrationFigure(calibration, result, `${prefix}label-${index + 1}-`, name)]
        : [],
    ),
    ...(result.survival ? survivalFigures(result.survival, prefix) : []),
    ...(result.regression && result.regression.truth.length > 0
      ? regressionFigures(result.regression, prefix)
      : []),
  ]
}

/** `melanoma (AUROC 0.913)`, from the class table or, with two classes, from the result itself. */
function legend(
  result: DrawnResult,
  name: string,
  metric: 'auc' | 'auprc',
  more: readonly string[] = [],
): string {
  const own = result.per_class?.find((entry) => entry.name === name)?.metrics[metric]
  const value = own === undefined && !result.per_class ? result.metrics[metric] : own
  // The result contains no number for one of several curves.
  const number = value === undefined ? [] : [`${metricName(metric).label} ${formatUnit(value)}`]
  const parts = [...number, ...more]
  return parts.length === 0 ? oneLine(name) : `${oneLine(name)} (${parts.join(', ')})`
}

export function rocFigure(
  roc: NonNullable<EvaluationResult['roc']>,
  result: DrawnResult,
  prefix: string,
): Figure {
  const labels = roc.map(({ name }) => legend(result, name, 'auc'))
  return {
    chart: rocChart(roc, labels, `${prefix}roc`),
    table: curveTable('ROC curve', '1 − specificity', 'Sensitivity', roc),
  }
}

export function prFigure(
  pr: NonNullable<EvaluationResult['pr']>,
  result: DrawnResult,
  prefix: string,
): Figure {
  const labels = pr.map(({ name, prevalence }) =>
    legend(result, name, 'auprc', [`prevalence ${formatUnit(prevalence)}`]),
  )
  return {
    chart: prChart(pr, labels, `${prefix}pr`),
    table: curveTable('Precision-recall curve', 'Sensitivity', 'PPV', pr),
  }
}

interface NamedCurve {
  readonly name: string
  readonly curve: { readonly x: readonly number[]; readonly y: readonly number[] }
}

function curveTable(caption: string, x: string, y: string, curves: readonly NamedCurve[]) {
  const each = Math.max(5, Math.floor((2 * LISTED_POINTS) / Math.max(1, curves.length)))
  const cut = curves.some(({ curve }) => curve.x.length > each)
  return table(
    caption,
    ['Class', numeric(x), numeric(y)],
    curves.flatMap(({ name, curve }) =>
      thin(
        curve.x.map((value, index) => [value, curve.y[index]] as const),
        each,
      ).map(([across, up]) => [name, formatUnit(across), formatUnit(up)]),
    ),
    cut ? ['A selection of points; the JSON result contains all of them.'] : [],
  )
}

export function confusionFigure(
  matrix: readonly (readonly number[])[],
  classes: readonly string[],
  prefix: string,
): Figure {
  return {
    chart: confusionChart(matrix, classes, `${prefix}confusion-matrix`),
    table: table(
      'Confusion matrix',
      ['True class', ...classes.map((name) => numeric(`Predicted: ${name}`))],
      matrix.map((row, index) => {
        const total = row.reduce((sum, value) => sum + value, 0)
        return [classes[index] ?? '', ...row.map((value) => formatShare(value, total))]
      }),
    ),
  }
}

function calibrationFigure(
  calibration: NonNullable<EvaluationResult['calibration']>,
  result: DrawnResult,
  prefix: string,
  label = result.positive_class,
): Figure {
  const predictedClass = label === null ? 'the predicted class' : `"${label}"`
  const { slope, intercept, bins } = calibration
  return {
    chart: calibrationChart(
      calibration,
      `Predicted probability of ${predictedClass}`,
      `${prefix}calibration`,
    ),
    table: table(
      label === result.positive_class ? 'Calibration' : `Calibration of ${predictedClass}`,
      [numeric('Predicted'), numeric('Observed'), numeric('95% CI'), numeric('Cases')],
      bins.map(({ predicted, observed, low, high, count }) => [
        formatUnit(predicted),
        formatUnit(observed),
        `${formatUnit(low)} to ${formatUnit(high)}`,
        formatCount(count),
      ]),
      [calibrationLine(slope, intercept, result)],
    ),
  }
}

function calibrationLine(slope: number | null, intercept: number | null, { notes }: DrawnResult): string {
  const reason = (key: string, value: number | null) =>
    value === null && notes[key] ? ` (${notes[key]})` : ''
  return `Slope ${formatNumber(slope)}${reason('calibration_slope', slope)}, ideal 1; intercept ${formatNumber(intercept)}${reason('calibration_intercept', intercept)}, ideal 0.${slope === null && !notes.calibration_slope ? ` "${DASH}": not defined for more than two classes.` : ''}`
}
