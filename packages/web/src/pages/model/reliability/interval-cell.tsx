import { ServiceText } from '../../../components/service-text'
import { useFigures } from '../../../text/figures'
import type { Result } from '../evidence'
import styles from '../model-page.module.css'

type Interval = Result['intervals'][string]

/** Estimate with its interval, or the reason why there is none. */
export function IntervalCell({
  of,
  value = of?.estimate ?? null,
}: {
  readonly of: Interval | undefined
  readonly value?: number | null
}) {
  const figures = useFigures()
  const hasInterval = of !== undefined && of.low !== null
  return (
    <>
      {figures.metric(value)}{' '}
      <span className={styles.soft}>
        {hasInterval && `(${figures.range(of.low, of.high)})`}
        {!hasInterval && of?.reason && <ServiceText english={of.reason} phrases={of.reason_phrases} />}
        {of?.caution && (
          <>
            {' '}
            <ServiceText english={of.caution} phrases={of.caution_phrases} />
          </>
        )}
      </span>
    </>
  )
}
