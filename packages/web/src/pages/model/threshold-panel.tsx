import { Button } from '../../components/button'
import { Icon } from '../../components/icon'
import { PlainTable } from '../../components/plain-table'
import { StepSlider } from '../../components/step-slider'
import { useFigures } from '../../text/figures'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { atThreshold, type Evidence, gridOf, SHARES } from './evidence'
import styles from './model-page.module.css'

/** One threshold for all charts. It is selected on validation; on test data it only explores and changes nothing. */
export function ThresholdPanel(evidence: Evidence) {
  const { document, change } = evidence
  const t = useText(text)
  const figures = useFigures()
  const grid = gridOf(document)
  const at = atThreshold(evidence)
  if (!grid || !at)
    return <p className={styles.soft}>{document.result.thresholds?.reason ?? t('threshold.none')}</p>
  const reason = document.result.threshold_reason
  const origin = reason ? t('threshold.default', { reason }) : t('threshold.chosen')
  const said = at.explored ? t('threshold.explored') : origin
  return (
    <>
      <Warning {...evidence} />
      <div className={styles.bar}>
        <StepSlider
          label={t('threshold.slider')}
          steps={grid.threshold}
          value={at.threshold}
          format={figures.metric}
          onChange={(threshold) => change({ threshold })}
        />
        {at.explored && (
          <Button kind="quiet" icon="close" onPress={() => change({ threshold: undefined })}>
            {t('threshold.back', { value: figures.metric(document.result.threshold) })}
          </Button>
        )}
      </div>
      <p className={styles.soft}>{said}</p>
      <Counts {...evidence} />
      <Rules {...evidence} />
    </>
  )
}

function Warning({ document: { kind, test_uses } }: Evidence) {
  const t = useText(text)
  if (kind === 'validation') return null
  return (
    <p role="note" className={styles.notice}>
      <Icon name="info" />
      <span>
        {t('threshold.exploration')} {test_uses && t('testUses', { count: test_uses.evaluations })}
      </span>
    </p>
  )
}

function Counts(evidence: Evidence) {
  const t = useText(text)
  const figures = useFigures()
  const nameOf = useMetricNames()
  const at = atThreshold(evidence)
  if (!at) return null
  return (
    <div className={styles.columns}>
      <PlainTable
        label={t('threshold.counts')}
        head={[t('threshold.decision'), t('threshold.cases')]}
        rows={(['truePositive', 'falsePositive', 'falseNegative', 'trueNegative'] as const).map((name) => ({
          key: name,
          cells: [t(`count.${name}`), figures.count(at.counts[name])],
        }))}
      />
      <PlainTable
        label={t('threshold.shares')}
        head={[t('metrics.metric'), t('metrics.value'), t('metrics.interval')]}
        rows={SHARES.map((name) => ({
          key: name,
          cells: [
            nameOf(name),
            figures.metric(at.shares[name].estimate),
            figures.range(at.shares[name].low, at.shares[name].high),
          ],
        }))}
      />
    </div>
  )
}

/** Thresholds by rule, selected on validation. */
function Rules({ document: { result } }: Evidence) {
  const t = useText(text)
  const figures = useFigures()
  const points = result.operating_points?.points ?? []
  if (points.length === 0) return null
  return (
    <PlainTable
      label={t('rules.title')}
      head={[
        t('rules.title'),
        t('threshold.slider'),
        ...(['sensitivity', 'specificity'] as const).map((name) => t(`rules.${name}`)),
      ]}
      rows={points.map(({ rule, threshold, reason, metrics }) => ({
        key: JSON.stringify(rule),
        cells: [
          Object.values(rule).join(' '),
          threshold === null ? (reason ?? figures.metric(null)) : figures.metric(threshold),
          ...(['sensitivity', 'specificity'] as const).map((name) =>
            metrics?.[name]
              ? `${figures.metric(metrics[name].estimate)} (${figures.range(metrics[name].low, metrics[name].high)})`
              : figures.metric(null),
          ),
        ],
      }))}
    />
  )
}
