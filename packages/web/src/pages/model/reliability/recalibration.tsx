import { PlainTable } from '../../../components/plain-table'
import { useFigures } from '../../../text/figures'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import type { Evidence, Result } from '../evidence'
import styles from '../model-page.module.css'

/** Best possible gain of a recalibration on these cases, or the reason why it is not reported. */
export function Recalibration({ document: { result } }: Evidence) {
  const t = useText(text)
  const { recalibration } = result
  return (
    <>
      <h3>{t('update.title')}</h3>
      {recalibration && recalibration.reason === null ? (
        <Updates of={recalibration} />
      ) : (
        <p className={styles.soft}>
          {recalibration?.reason
            ? t('none', { reason: recalibration.reason })
            : t(recalibration === null ? 'update.absent' : 'older')}
        </p>
      )}
    </>
  )
}

function Updates({ of: { original, updates } }: { readonly of: NonNullable<Result['recalibration']> }) {
  const t = useText(text)
  const figures = useFigures()
  const nameOf = useMetricNames()
  const names = Object.keys(original)
  const cells = (metrics: Result['metrics']) => names.map((name) => figures.metric(metrics[name]))
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
            cells: [t('update.original'), figures.metric(null), figures.metric(null), ...cells(original)],
          },
          ...updates.map(({ name, intercept, slope, metrics }) => ({
            key: name,
            cells: [t(`update.${name}`), figures.metric(intercept), figures.metric(slope), ...cells(metrics)],
          })),
        ]}
      />
      <p className={styles.soft}>{t('update.note')}</p>
    </>
  )
}
