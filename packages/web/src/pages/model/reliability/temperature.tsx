import { PlainTable } from '../../../components/plain-table'
import { useFigures } from '../../../text/figures'
import { useMetricNames } from '../../../text/metrics/use-metric-names'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import type { Evidence } from '../evidence'
import styles from '../model-page.module.css'
import { IntervalCell } from './interval-cell'

/** Effect of the temperature that was fitted on validation, on these cases; or the reason why there is none. */
export function Temperature({ document: { result, kind } }: Evidence) {
  const t = useText(text)
  const figures = useFigures()
  const nameOf = useMetricNames()
  const { temperature } = result
  if (!temperature) return <p className={styles.soft}>{t('older')}</p>
  const { value, low, high, reason, before, after, cases, applied } = temperature
  if (value === null || !before || !after)
    return <p className={styles.soft}>{reason ? t('none', { reason }) : t('older')}</p>
  const said = { value: figures.metric(value), cases: figures.count(cases ?? 0) }
  return (
    <>
      <p className={styles.soft}>
        {t(value > 1 ? 'temperature.certain' : 'temperature.uncertain', said)}{' '}
        {typeof low === 'number' &&
          typeof high === 'number' &&
          t('temperature.interval', { low: figures.metric(low), high: figures.metric(high) })}{' '}
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
            <IntervalCell key="before" of={before[name]} />,
            <IntervalCell key="after" of={after[name]} />,
          ],
        }))}
      />
    </>
  )
}
