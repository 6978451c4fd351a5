import type { CasePredictions, Prediction } from '@medloom/contracts'
import { Icon } from '../../components/icon'
import { PlainTable } from '../../components/plain-table'
import { ErrorText } from '../../components/service-text'
import { WarningText } from '../../components/warning-text'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'

type Finding = Pick<Prediction['warnings'][number], 'code' | 'message' | 'message_phrases'>

/** The prediction of one case, and what to know before it is used. */
export function PredictionResult({ found }: { readonly found: CasePredictions }) {
  const t = useText(text)
  const [prediction] = found.predictions
  if (!prediction) return null
  return (
    <section className={styles.prediction}>
      {found.hidden && <p>{t('predict.hidden')}</p>}
      {prediction.error ? <Refused error={prediction.error} /> : <Predicted prediction={prediction} />}
      <Findings warnings={[...prediction.warnings, ...found.warnings]} />
      <Basis {...found} />
    </section>
  )
}

function Refused({ error }: { readonly error: NonNullable<Prediction['error']> }) {
  const t = useText(text)
  return (
    <p role="alert">
      <Icon name="bad" /> {t('predict.refused')}{' '}
      <ErrorText code={error.code} english={error.message} phrases={error.message_phrases} />{' '}
      <code>{error.code}</code>
    </p>
  )
}

function Predicted({ prediction }: { readonly prediction: Prediction }) {
  const t = useText(text)
  const format = useFormatters()
  const { predicted, probabilities, set, interval, risk, survival } = prediction
  const shown = Array.isArray(predicted) ? predicted.join(', ') : predicted
  return (
    <>
      {shown !== null && (
        <p className={styles.predicted}>
          {t('predict.predicted')}{' '}
          <strong>{typeof shown === 'number' ? format.short(shown) : shown || t('predict.nothing')}</strong>
          {interval && ` (${format.range(interval.low, interval.high)})`}
        </p>
      )}
      {probabilities && (
        <PlainTable
          label={t('predict.probabilities')}
          head={[t('predict.class'), { key: 'p', title: t('predict.probability'), numeric: true }]}
          rows={Object.entries(probabilities)
            .sort(([, a], [, b]) => b - a)
            .map(([name, probability]) => ({ key: name, cells: [name, format.metric(probability)] }))}
        />
      )}
      {set && <p>{t('predict.set', { classes: set.join(', ') || t('predict.nothing') })}</p>}
      {risk !== null && <p>{t('predict.risk', { value: format.metric(risk) })}</p>}
      {survival && (
        <PlainTable
          label={t('predict.survival')}
          head={[t('predict.time'), { key: 's', title: t('predict.eventFree'), numeric: true }]}
          rows={survival.map(({ time, survival: share }) => ({
            key: String(time),
            cells: [format.short(time), format.metric(share)],
          }))}
        />
      )}
    </>
  )
}

function Findings({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return null
  return (
    <ul className={styles.warnings}>
      {warnings.map(({ code, message, message_phrases: phrases }) => (
        <li key={`${code} ${message}`}>
          <Icon name="bad" />
          <span>
            <WarningText {...{ code, message, phrases }} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Facts about the model that belong beside every prediction. */
function Basis({ basis, performance }: Pick<CasePredictions, 'basis' | 'performance'>) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const tested =
    performance &&
    t('predict.tested', {
      metric: nameOf(performance.metric),
      value: format.metric(performance.value),
      range: format.range(performance.interval?.low, performance.interval?.high),
      cases: performance.num_cases,
    })
  return (
    <p className={styles.soft}>
      {tested ?? t('predict.untested')}{' '}
      {basis.training_cases !== null && t('predict.trained', { cases: basis.training_cases })}{' '}
      {basis.temperature !== null && t('predict.calibrated')}{' '}
      {basis.intended_use === null ? t('predict.noUse') : t('predict.use', { use: basis.intended_use })}{' '}
      {t('predict.research')}
    </p>
  )
}
