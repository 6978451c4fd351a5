import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { useFormatters } from '../../../text/formatters'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import type { EvaluationViewProps, Result } from '../view-props'

/** Best possible gain of a recalibration on these cases, or the reason why it is not reported. */
export function Recalibration({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  const textOf = useServiceText()
  const { recalibration } = result
  return (
    <>
      <h3>{t('update.title')}</h3>
      {recalibration && recalibration.reason === null ? (
        <RecalibrationTable recalibration={recalibration} />
      ) : (
        <p className={styles.soft}>
          {recalibration?.reason
            ? t('none', { reason: textOf(recalibration.reason, recalibration.reason_phrases) })
            : t(recalibration === null ? 'update.absent' : 'older')}
        </p>
      )}
    </>
  )
}

/** Metrics of the original model and of each update, and how optimistic they are. */
export function RecalibrationTable({
  recalibration: { original, updates },
}: {
  readonly recalibration: Pick<NonNullable<Result['recalibration']>, 'original' | 'updates'>
}) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const names = Object.keys(original)
  const cells = (metrics: Result['metrics']) => names.map((name) => format.metric(metrics[name]))
  return (
    <>
      <PlainTable
        label={t('update.title')}
        head={[
          t('update.model'),
          ...(['intercept', 'slope'] as const).map((key) => ({
            key,
            title: t(`update.column.${key}`),
            numeric: true,
          })),
          ...names.map((name) => ({ key: `metric ${name}`, title: nameOf(name), numeric: true })),
        ]}
        rows={[
          {
            key: 'original',
            cells: [t('update.original'), format.metric(null), format.metric(null), ...cells(original)],
          },
          ...updates.map(({ name, intercept, slope, metrics }) => ({
            key: name,
            cells: [t(`update.${name}`), format.metric(intercept), format.metric(slope), ...cells(metrics)],
          })),
        ]}
      />
      <p className={styles.soft}>{t('update.note')}</p>
    </>
  )
}
