import { Button } from '../../components/button'
import { Icon } from '../../components/icon'
import { PlainTable } from '../../components/plain-table'
import { useServiceText } from '../../components/service-text'
import { StepSlider } from '../../components/step-slider'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import { type EvaluationViewProps, gridOf, resultsAtThreshold, SHARES } from './view-props'

/** One threshold for all charts. It is selected on validation; on test data it only explores and changes nothing. */
export function ThresholdPanel(props: EvaluationViewProps) {
  const { document, change } = props
  const { thresholds, threshold_reason: reason, threshold_reason_phrases } = document.result
  const textOf = useServiceText()
  const t = useText(text)
  const format = useFormatters()
  const grid = gridOf(document)
  const results = resultsAtThreshold(props)
  if (!grid || !results)
    return (
      <p className={styles.soft}>
        {thresholds?.reason ? textOf(thresholds.reason, thresholds.reason_phrases) : t('threshold.none')}
      </p>
    )
  const selection = reason
    ? t('threshold.default', { reason: textOf(reason, threshold_reason_phrases) })
    : t('threshold.chosen')
  const note = results.explored ? t(reason ? 'threshold.exploredDefault' : 'threshold.explored') : selection
  return (
    <>
      <Warning {...props} />
      <div className={styles.bar}>
        <StepSlider
          label={t('threshold.slider')}
          steps={grid.threshold}
          value={results.threshold}
          format={format.metric}
          onChange={(threshold) => change({ threshold })}
        />
        {results.explored && (
          <Button kind="quiet" icon="close" onPress={() => change({ threshold: undefined })}>
            {t('threshold.back', { value: format.metric(document.result.threshold) })}
          </Button>
        )}
      </div>
      <p className={styles.soft}>{note}</p>
      <Counts {...props} />
      <Rules {...props} />
    </>
  )
}

function Warning({ document: { kind, test_uses } }: EvaluationViewProps) {
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

function Counts(props: EvaluationViewProps) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const results = resultsAtThreshold(props)
  if (!results) return null
  return (
    <div className={styles.columns}>
      <PlainTable
        label={t('threshold.counts')}
        head={[t('threshold.decision'), t('threshold.cases')]}
        rows={(['truePositive', 'falsePositive', 'falseNegative', 'trueNegative'] as const).map((name) => ({
          key: name,
          cells: [t(`count.${name}`), format.count(results.counts[name])],
        }))}
      />
      <PlainTable
        label={t('threshold.shares')}
        head={[t('metrics.metric'), t('metrics.value'), t('metrics.interval')]}
        rows={SHARES.map((name) => ({
          key: name,
          cells: [
            nameOf(name),
            format.metric(results.shares[name].estimate),
            format.range(results.shares[name].low, results.shares[name].high),
          ],
        }))}
      />
    </div>
  )
}

/** Thresholds by rule, selected on validation. */
function Rules({ document: { result } }: EvaluationViewProps) {
  const t = useText(text)
  const textOf = useServiceText()
  const format = useFormatters()
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
      rows={points.map(({ rule, threshold, reason, reason_phrases, metrics }) => ({
        key: JSON.stringify(rule),
        cells: [
          Object.values(rule).join(' '),
          threshold === null && reason ? textOf(reason, reason_phrases) : format.metric(threshold),
          ...(['sensitivity', 'specificity'] as const).map((name) =>
            metrics?.[name]
              ? `${format.metric(metrics[name].estimate)} (${format.range(metrics[name].low, metrics[name].high)})`
              : format.metric(null),
          ),
        ],
      }))}
    />
  )
}
