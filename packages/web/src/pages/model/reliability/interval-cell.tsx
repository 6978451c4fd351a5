import { ServiceText } from '../../../components/service-text'
import { useFormatters } from '../../../text/formatters'
import styles from '../model-page.module.css'
import type { Result } from '../view-props'

type Interval = Result['intervals'][string]

/** Estimate with its interval, or the reason why there is none. */
export function IntervalCell({
  interval,
  value = interval?.estimate ?? null,
}: {
  readonly interval: Interval | undefined
  readonly value?: number | null
}) {
  const format = useFormatters()
  const hasInterval = interval !== undefined && interval.low !== null
  return (
    <>
      {format.metric(value)}{' '}
      <span className={styles.soft}>
        {hasInterval && `(${format.range(interval.low, interval.high)})`}
        {!hasInterval && interval?.reason && (
          <ServiceText english={interval.reason} phrases={interval.reason_phrases} />
        )}
        {interval?.caution && (
          <>
            {' '}
            <ServiceText english={interval.caution} phrases={interval.caution_phrases} />
          </>
        )}
      </span>
    </>
  )
}
