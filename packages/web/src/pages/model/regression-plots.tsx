import { Plot, PlotDots, PlotLine, type Point } from '../../charts/plot'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { EvaluationViewProps, Result } from './view-props'

/** Maximum number of points in a chart; more points cannot be distinguished. */
const MAX_POINTS = 3000
const MAX_ROWS = 200

/** Regression charts: prediction against truth, and difference against mean (Bland and Altman 1986). */
export function RegressionPlots({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  if (!result.regression) return null
  const { truth } = result.regression
  return (
    <>
      <div className={styles.plots}>
        <TruthPlot {...result.regression} />
        <AgreementPlot {...result.regression} />
      </div>
      {truth.length > MAX_POINTS && <p className={styles.soft}>{t('numbers.part', { count: MAX_POINTS })}</p>}
    </>
  )
}

type RegressionResult = NonNullable<Result['regression']>

function TruthPlot({ truth, predicted }: RegressionResult) {
  const t = useText(text)
  const points = pointsOf(truth, (index) => predicted[index] ?? 0)
  const domain = extent([...truth, ...predicted])
  const table = useCurveTable([t('confusion.truth'), t('confusion.predicted')], points)
  return (
    <Plot
      title={t('numbers.truth')}
      x={{ label: t('confusion.truth'), domain }}
      y={{ label: t('confusion.predicted'), domain }}
      table={table}
    >
      {(scales) => (
        <>
          <PlotLine
            series={0}
            scales={scales}
            points={[
              [domain[0], domain[0]],
              [domain[1], domain[1]],
            ]}
          />
          <PlotDots small scales={scales} points={points} />
        </>
      )}
    </Plot>
  )
}

function AgreementPlot({ truth, predicted, bias, loa_low, loa_high }: RegressionResult) {
  const t = useText(text)
  const nameOf = useMetricNames()
  const format = useFormatters()
  const means = truth.map((value, index) => (value + (predicted[index] ?? 0)) / 2)
  const points = pointsOf(means, (index) => (predicted[index] ?? 0) - (truth[index] ?? 0))
  const x = extent(means)
  const y = extent([...points.map(([, difference]) => difference), loa_low, loa_high])
  const table = useCurveTable([t('numbers.mean'), t('numbers.difference')], points)
  const lines = { bias, loa_low, loa_high }
  return (
    <Plot
      title={t('numbers.agreement')}
      x={{ label: t('numbers.mean'), domain: x }}
      y={{ label: t('numbers.difference'), domain: y }}
      legend={Object.entries(lines).map(([name, value]) => `${nameOf(name)} ${format.metric(value)}`)}
      table={table}
    >
      {(scales) => (
        <>
          <PlotDots small scales={scales} points={points} />
          {Object.values(lines).map((value, index) => (
            <PlotLine
              key={index}
              series={index + 1}
              scales={scales}
              points={[
                [x[0], value],
                [x[1], value],
              ]}
            />
          ))}
        </>
      )}
    </Plot>
  )
}

function pointsOf(x: readonly number[], y: (index: number) => number): Point[] {
  return x.slice(0, MAX_POINTS).map((value, index) => [value, y(index)])
}

function extent(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  const margin = (high - low || 1) / 20
  return [low - margin, high + margin]
}

function useCurveTable(head: readonly string[], points: readonly Point[]) {
  const format = useFormatters()
  const rows = points.slice(0, MAX_ROWS).map(([x, y], index) => ({
    key: String(index),
    cells: [format.metric(x), format.metric(y)],
  }))
  return { head, rows }
}
