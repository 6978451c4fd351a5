import type { Phrase } from '@medloom/contracts'
import { Plot, PlotLine, PlotMark, PlotRule, type Point } from '../../charts/plot'
import { ServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import { type EvaluationViewProps, resultsAtThreshold, shownClass } from './view-props'

const UNIT = [0, 1] as const
/** Maximum number of rows in the table of a curve; more rows add no information. */
const MAX_ROWS = 200

type Curve = { readonly x: readonly number[]; readonly y: readonly number[] }

export function RocPlot(props: EvaluationViewProps) {
  const t = useText(text)
  const nameOf = useMetricNames()
  const chosen = shownClass(props)
  const roc = props.document.result.roc?.find(({ name }) => name === chosen) ?? props.document.result.roc?.[0]
  const results = resultsAtThreshold(props)
  if (!roc) return <MissingChart title={t('roc.title')} />
  const { specificity, sensitivity } = results?.shares ?? {}
  return (
    <Plot
      title={`${t('roc.title')} · ${roc.name}`}
      x={{ label: t('roc.x'), domain: UNIT }}
      y={{ label: nameOf('sensitivity'), domain: UNIT }}
      table={useCurveTable([t('roc.x'), nameOf('sensitivity')], roc.curve)}
    >
      {(scales) => (
        <>
          <PlotLine
            series={0}
            scales={scales}
            points={[
              [0, 0],
              [1, 1],
            ]}
          />
          <PlotLine series={1} scales={scales} points={pointsOf(roc.curve)} />
          {typeof specificity?.estimate === 'number' && typeof sensitivity?.estimate === 'number' && (
            <PlotMark scales={scales} point={[1 - specificity.estimate, sensitivity.estimate]} />
          )}
        </>
      )}
    </Plot>
  )
}

export function PrPlot(props: EvaluationViewProps) {
  const t = useText(text)
  const nameOf = useMetricNames()
  const chosen = shownClass(props)
  const pr = props.document.result.pr?.find(({ name }) => name === chosen) ?? props.document.result.pr?.[0]
  const results = resultsAtThreshold(props)
  if (!pr) return <MissingChart title={t('pr.title')} />
  const { ppv, sensitivity } = results?.shares ?? {}
  return (
    <Plot
      title={`${t('pr.title')} · ${pr.name}`}
      x={{ label: nameOf('sensitivity'), domain: UNIT }}
      y={{ label: nameOf('ppv'), domain: UNIT }}
      table={useCurveTable([nameOf('sensitivity'), nameOf('ppv')], pr.curve)}
    >
      {(scales) => (
        <>
          <PlotLine
            series={0}
            scales={scales}
            points={[
              [0, pr.prevalence],
              [1, pr.prevalence],
            ]}
          />
          <PlotLine series={1} scales={scales} points={pointsOf(pr.curve)} />
          {typeof ppv?.estimate === 'number' && typeof sensitivity?.estimate === 'number' && (
            <PlotMark scales={scales} point={[sensitivity.estimate, ppv.estimate]} />
          )}
        </>
      )}
    </Plot>
  )
}

export function DecisionPlot(props: EvaluationViewProps) {
  const t = useText(text)
  const { decision_curve } = props.document.result
  const curve = decision_curve?.curve
  const table = useDecisionTable(curve ?? null)
  const results = resultsAtThreshold(props)
  if (!curve || !table) return <MissingChart title={t('decision.title')} without={decision_curve} />
  const { thresholds, model, treat_all, fewest_true_positives = 0 } = curve
  const top = Math.max(0.01, ...model, ...treat_all)
  // The net benefit of treating all is far below zero at high thresholds, which are not relevant.
  const domain = [-top / 3, top * 1.05] as const
  const line = (values: readonly (number | null)[]) =>
    thresholds.flatMap((x, index): Point[] => {
      const y = values[index] ?? null
      return y === null || y < domain[0] ? [] : [[x, y]]
    })
  const bounds = [curve.low, curve.high].filter((bound) => bound !== undefined)
  const legend = [t('decision.model'), t('decision.all'), t('decision.none')]
  const plot = (
    <Plot
      title={t('decision.title')}
      x={{ label: t('threshold.slider'), domain: UNIT }}
      y={{ label: t('decision.benefit'), domain }}
      legend={legend}
      table={table}
    >
      {(scales) => (
        <>
          {bounds.map((bound, index) => (
            <PlotLine
              key={index === 0 ? 'low' : 'high'}
              thin
              series={1}
              scales={scales}
              points={line(bound)}
            />
          ))}
          <PlotLine series={1} scales={scales} points={line(model)} />
          <PlotLine series={2} scales={scales} points={line(treat_all)} />
          <PlotLine
            series={3}
            scales={scales}
            points={[
              [0, 0],
              [1, 0],
            ]}
          />
          {results && <PlotRule scales={scales} x={results.threshold} />}
        </>
      )}
    </Plot>
  )
  if (!isCautioned(curve)) return plot
  return (
    <div>
      {plot}
      <p className={styles.soft}>
        {t('decision.unreliable', { from: curve.reliable_to ?? null, fewest: fewest_true_positives })}
      </p>
    </div>
  )
}

/** Placeholder of a chart that cannot be drawn, with the reason. */
export function MissingChart({
  title,
  without,
}: {
  readonly title: string
  readonly without?:
    | { readonly reason: string | null; readonly reason_phrases?: Phrase[] | undefined }
    | null
    | undefined
}) {
  const t = useText(text)
  return (
    <div className={styles.gap}>
      <strong>{title}</strong>
      <p className={styles.soft}>
        {without?.reason ? (
          <ServiceText english={without.reason} phrases={without.reason_phrases} />
        ) : (
          t('gap')
        )}
      </p>
    </div>
  )
}

function pointsOf({ x, y }: Curve): Point[] {
  return x.map((value, index) => [value, y[index] ?? 0])
}

function useCurveTable(head: readonly string[], curve: Curve) {
  const format = useFormatters()
  const every = Math.ceil(curve.x.length / MAX_ROWS)
  const rows = pointsOf(curve).flatMap(([x, y], index) =>
    index % every === 0 || index === curve.x.length - 1
      ? [{ key: String(index), cells: [format.metric(x), format.metric(y)] }]
      : [],
  )
  return { head, rows }
}

type DecisionCurve = NonNullable<EvaluationViewProps['document']['result']['decision_curve']>['curve']

/** The decision curve as a table, with its intervals if it has any. */
function useDecisionTable(curve: DecisionCurve) {
  const t = useText(text)
  const format = useFormatters()
  if (!curve) return null
  const { thresholds, model, treat_all, low, high } = curve
  return {
    head: [
      ...[t('threshold.slider'), t('decision.model')],
      ...(low ? [t('decision.interval')] : []),
      t('decision.all'),
    ],
    rows: thresholds.map((x, index) => ({
      key: String(x),
      cells: [
        ...[format.metric(x), format.metric(model[index])],
        ...(low ? [format.range(low[index] ?? null, high?.[index] ?? null)] : []),
        format.metric(treat_all[index]),
      ],
    })),
  }
}

/** Returns true if some threshold has no interval because too few patients with the event are predicted positive there. */
function isCautioned({ low, reliable_to, thresholds }: NonNullable<DecisionCurve>): boolean {
  if (reliable_to === null) return true
  return reliable_to !== undefined && low !== undefined && reliable_to !== thresholds.at(-1)
}
