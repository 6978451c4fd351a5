import { isOverconfident } from '@medloom/contracts/plain'
import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { useFormatters } from '../../../text/formatters'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import type { EvaluationViewProps } from '../view-props'
import { IntervalCell } from './interval-cell'

/** Effect of the temperature that was fitted on validation, on these cases; or the reason why there is none. */
export function Temperature({ document: { result, kind } }: EvaluationViewProps) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const textOf = useServiceText()
  const { temperature } = result
  if (!temperature) return <p className={styles.soft}>{t('older')}</p>
  const { value, low, high, reason, reason_phrases, before, after, cases, applied } = temperature
  if (value === null || !before || !after)
    return (
      <p className={styles.soft}>
        {reason ? t('none', { reason: textOf(reason, reason_phrases) }) : t('older')}
      </p>
    )
  const values = { value: format.metric(value), cases: format.count(cases ?? 0) }
  return (
    <>
      <p className={styles.soft}>
        {t(isOverconfident(value) ? 'temperature.certain' : 'temperature.uncertain', values)}{' '}
        {typeof low === 'number' &&
          typeof high === 'number' &&
          t('temperature.interval', { low: format.metric(low), high: format.metric(high) })}{' '}
        {t(applied ? 'temperature.applied' : 'temperature.notApplied')}{' '}
        {kind === 'validation' && t('temperature.fitted')}
      </p>
      <PlainTable
        label={t('temperature.title')}
        head={[t('measure'), t('temperature.before'), t('temperature.after')]}
        rows={Object.keys(before).map((name) => ({
          key: name,
          cells: [
            nameOf(name),
            <IntervalCell key="before" interval={before[name]} />,
            <IntervalCell key="after" interval={after[name]} />,
          ],
        }))}
      />
    </>
  )
}
