import { useFigures } from '../../../text/figures'
import type { Result } from '../evidence'
import { range } from '../metrics-panel'
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
  const said = [of && of.low !== null ? `(${range(figures, of)})` : of?.reason, of?.caution].filter(
    (words) => !!words,
  )
  return (
    <>
      {figures.metric(value)} <span className={styles.soft}>{said.join('; ')}</span>
    </>
  )
}
