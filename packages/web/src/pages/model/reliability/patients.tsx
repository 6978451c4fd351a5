import { PlainTable } from '../../../components/plain-table'
import { useServiceText } from '../../../components/service-text'
import { useFormatters } from '../../../text/formatters'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import type { EvaluationViewProps } from '../view-props'
import { IntervalCell } from './interval-cell'

const HEADS = { mean: 'patients.mean', max: 'patients.largest' } as const

/** Metrics per row next to metrics per patient, or the reason why there are none. */
export function Patients({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const textOf = useServiceText()
  const { patient_level: level, num_cases, metrics, intervals } = result
  if (!level) return <p className={styles.soft}>{t('older')}</p>
  const measured = level.aggregations.filter(({ reason }) => reason === null)
  const reason =
    level.reason === null ? level.aggregations[0]?.reason : textOf(level.reason, level.reason_phrases)
  if (measured.length === 0)
    return <p className={styles.soft}>{reason ? t('none', { reason }) : t('older')}</p>
  const names = [...new Set(measured.flatMap((one) => Object.keys(one.metrics)))]
  return (
    <>
      <p className={styles.soft}>
        {t('patients.lead', {
          several: level.with_several_rows ?? 0,
          patients: level.patients ?? 0,
        })}{' '}
        {measured.some(({ name }) => name === 'max') && t('patients.max')}{' '}
        {t(`patients.label.${measured[0]?.label ?? 'older'}`)}{' '}
        {level.disagreeing !== null && t('patients.disagreeing', { count: format.count(level.disagreeing) })}
      </p>
      <PlainTable
        label={t('patients.title')}
        head={[
          t('measure'),
          t('patients.rows', { count: num_cases }),
          ...measured.map(({ name, patients }) => t(HEADS[name], { count: patients })),
        ]}
        rows={names.map((name) => ({
          key: name,
          cells: [
            nameOf(name),
            <IntervalCell key="rows" interval={intervals[name]} value={metrics[name] ?? null} />,
            ...measured.map((one) => <IntervalCell key={one.name} interval={one.metrics[name]} />),
          ],
        }))}
      />
    </>
  )
}
