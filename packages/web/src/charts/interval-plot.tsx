import { useFormatters } from '../text/formatters'
import styles from './interval-plot.module.css'
import type { IntervalScale } from './interval-scale'

/** An estimate as a dot on its interval, over the single values. The numbers are in the same row of the table. */
export function IntervalPlot({
  scale,
  estimate,
  low,
  high,
  values = [],
  reference,
}: {
  readonly scale: IntervalScale
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
  /** Values of single trainings. */
  readonly values?: readonly number[]
  /** Reference line, such as no difference. */
  readonly reference?: number
}) {
  const percent = (value: number) => `${scale.position(value)}%`
  const across =
    reference === undefined ? {} : { x1: percent(reference), x2: percent(reference), y1: 0, y2: 28 }
  return (
    <svg className={styles.plot} height="28" aria-hidden="true">
      {reference !== undefined && <line className={styles.reference} {...across} />}
      {values.map((value, index) => (
        <circle key={index} className={styles.value} cx={percent(value)} cy="22" r="2" />
      ))}
      {low !== null && high !== null && (
        <line className={styles.interval} x1={percent(low)} x2={percent(high)} y1="11" y2="11" />
      )}
      {estimate !== null && <circle className={styles.estimate} cx={percent(estimate)} cy="11" r="4.5" />}
    </svg>
  )
}

/** Axis labels, below or above the rows that share the axis. */
export function IntervalAxis({ scale }: { readonly scale: IntervalScale }) {
  const format = useFormatters()
  return (
    <svg className={styles.plot} height="16" aria-hidden="true">
      {scale.ticks.map((tick) => (
        <text key={tick} className={styles.tick} x={`${scale.position(tick)}%`} y="12">
          {format.tick(tick)}
        </text>
      ))}
    </svg>
  )
}
