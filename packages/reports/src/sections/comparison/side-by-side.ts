import type { ComparisonResult } from '@medloom/contracts'
import { rocChart } from '../../charts/curves.js'
import { type Cell, type Figure, numeric, type Section, table } from '../../document/document.js'
import { formatMetric, metricName } from '../../document/metric-names.js'
import { formatUnit } from '../../document/numbers.js'

/** More charts than this cannot be compared visually. */
const MAX_CHARTS = 8

/** Every metric of every model, with its interval. */
export function comparedMetricsSection({ models, split }: ComparisonResult): Section {
  const keys = Object.keys(models[0]?.metrics ?? {})
  return {
    id: 'performance',
    title: `Performance on the ${split} split`,
    blocks: [
      table(
        'Estimate (95% CI)',
        ['Metric', ...models.map(({ name }) => numeric(name))],
        keys.map((key): Cell[] => [
          metricName(key).label,
          ...models.map(({ metrics, intervals }): Cell => {
            const { low = null, high = null } = intervals[key] ?? {}
            const text = formatMetric(key, metrics[key])
            if (low === null || high === null) return text
            return { text, below: `${formatMetric(key, low)} to ${formatMetric(key, high)}` }
          }),
        ]),
        thresholdNotes(models),
      ),
    ],
  }
}

/** The threshold of each model; its origin if the result contains it, which those of older versions do not. */
function thresholdNotes(models: ComparisonResult['models']): string[] {
  if (models.every(({ threshold }) => threshold === null)) return []
  const thresholds = models.map(({ name, threshold, threshold_reason: reason }) => {
    const source =
      reason === undefined
        ? ''
        : reason === null
          ? ', chosen on its validation split'
          : `, the default: ${reason}`
    return `${name} ${formatUnit(threshold)}${source}`
  })
  return [`Thresholds: ${thresholds.join('; ')}.`]
}

/** One chart per class with the curve of every model; null if no curve is defined. */
export function rocOfModelsSection({ models, classes }: ComparisonResult): Section | null {
  const named = [...new Set(models.flatMap(({ roc }) => (roc ?? []).map(({ name }) => name)))]
  const figures = named.slice(0, MAX_CHARTS).map((name, index): Figure => {
    const curves = models.flatMap(({ name: model, roc }) => {
      const own = roc?.find((one) => one.name === name)
      return own ? [{ name: model, curve: own.curve }] : []
    })
    const chart = rocChart(
      curves,
      curves.map((one) => one.name),
      `comparison-roc-${index + 1}`,
      (classes?.length ?? 2) > 2 ? `ROC curve, ${name} vs. rest` : 'ROC curves',
    )
    return { chart, table: null }
  })
  if (figures.length === 0) return null
  return { id: 'figures', title: 'Figures', blocks: [{ kind: 'figures', figures }] }
}
