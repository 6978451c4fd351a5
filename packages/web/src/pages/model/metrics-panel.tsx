import { isOfTask } from '@medloom/contracts/plain'
import type { ReactNode } from 'react'
import { PlainTable } from '../../components/plain-table'
import { ServiceText, useServiceText } from '../../components/service-text'
import { Status, type Tone } from '../../components/status'
import { type Formatters, useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { EvaluationViewProps, Result } from './view-props'

type Baseline = NonNullable<Result['baselines']>[number]
type Difference = Baseline['differences'][string]
type FittedRows = NonNullable<Baseline['fitted_on']>

const TONES = {
  better: 'good',
  worse: 'bad',
  inconclusive: 'neutral',
  not_better: 'neutral',
  undecided: 'waiting',
} as const satisfies Record<Baseline['verdict']['verdict'], Tone>

/** Every metric of the task with its interval, the metrics of simple baselines on the same cases, and the meaning of the difference. */
export function MetricsPanel({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const titleOf = useServiceText()
  const names = Object.keys(result.metrics).filter((name) => isOfTask(result.task, name))
  const baselines = result.baselines ?? []
  return (
    <>
      {baselines.length > 0 && (
        <ul className={styles.verdicts}>
          {baselines.map((baseline) => (
            <Verdict key={baseline.name} baseline={baseline} />
          ))}
        </ul>
      )}
      <PlainTable
        label={t('metrics.title')}
        head={[
          t('metrics.metric'),
          t('metrics.value'),
          t('metrics.interval'),
          ...baselines.flatMap((baseline) => {
            const title = titleOf(baseline.title, baseline.title_phrases)
            return [title, t('metrics.difference', { title })]
          }),
          t('metrics.method'),
        ]}
        rows={names.map((name) => ({
          key: name,
          cells: [
            nameOf(name),
            <Value
              key="value"
              value={result.metrics[name] ?? null}
              reason={result.notes[name]}
              format={format}
            />,
            format.range(result.intervals[name]?.low, result.intervals[name]?.high),
            ...baselines.flatMap((baseline) => baselineCells(format, baseline, name)),
            <Method key="method" interval={result.intervals[name]} />,
          ],
        }))}
      />
    </>
  )
}

function Verdict({ baseline: { verdict, differences, ...baseline } }: { readonly baseline: Baseline }) {
  const t = useText(text)
  const title = useServiceText()(baseline.title, baseline.title_phrases)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const difference = differences[verdict.metric]
  return (
    <li>
      <Status tone={TONES[verdict.verdict]}>{t(`verdict.${verdict.verdict}`, { title })}</Status>
      {difference && difference.estimate !== null && (
        <span className={styles.soft}>
          {t('verdict.difference', {
            metric: nameOf(verdict.metric),
            value: format.metric(difference.estimate),
            range: format.range(difference.low, difference.high),
          })}
        </span>
      )}
      {difference && (verdict.verdict === 'undecided' || hasNoInterval(difference)) && (
        <Reason of={difference} />
      )}
      {baseline.fitted_on && <FittedOn fittedOn={baseline.fitted_on} />}
    </li>
  )
}

/** Rows on which a baseline was fitted, and whether the model learned from further ones. */
function FittedOn({ fittedOn: { splits, cases, same_as_model } }: { readonly fittedOn: FittedRows }) {
  const t = useText(text)
  return (
    <span className={styles.soft}>
      {t(splits.includes('val') ? 'baseline.fittedOnBoth' : 'baseline.fittedOn', { cases })}{' '}
      {t(same_as_model ? 'baseline.sameRows' : 'baseline.fewerRows')}
    </span>
  )
}

const hasNoInterval = ({ low, high }: Difference) => low === null || high === null

/** Reason why a number of a difference is missing, or why it decides nothing. */
function Reason({ of: { reason, reason_phrases: phrases } }: { readonly of: Difference }) {
  if (!reason) return null
  return (
    <span className={styles.soft}>
      <ServiceText english={reason} phrases={phrases} />
    </span>
  )
}

function baselineCells(
  format: Formatters,
  { metrics, notes, differences }: Baseline,
  name: string,
): ReactNode[] {
  const difference = differences[name]
  return [
    <Value key="value" value={metrics[name] ?? null} reason={notes[name]} format={format} />,
    <div key="difference">
      {difference && difference.estimate !== null
        ? `${format.metric(difference.estimate)} (${format.range(difference.low, difference.high)})`
        : format.metric(null)}{' '}
      {difference && hasNoInterval(difference) && <Reason of={difference} />}
    </div>,
  ]
}

/** A number, or a gap with its reason. */
export function Value({
  value,
  reason,
  format,
}: {
  readonly value: number | null
  readonly reason: string | null | undefined
  readonly format: Formatters
}) {
  if (value !== null || !reason) return format.metric(value)
  return (
    <>
      {format.metric(null)}{' '}
      <span className={styles.soft}>
        <ServiceText english={reason} />
      </span>
    </>
  )
}

function Method({ interval }: { readonly interval: Result['intervals'][string] | undefined }) {
  const { method, caution, reason } = interval ?? {}
  return (
    <div className={styles.method}>
      {method && <ServiceText english={method} phrases={interval?.method_phrases} />}
      {caution && <ServiceText english={caution} phrases={interval?.caution_phrases} />}
      {reason && <ServiceText english={reason} phrases={interval?.reason_phrases} />}
    </div>
  )
}
