import { ScrollRegion } from '../components/scroll-region'
import { charts as text } from '../text/charts'
import { useFormatters } from '../text/formatters'
import { useText } from '../text/use-text'
import type { Line } from './curve-chart'
import styles from './curve-table.module.css'

const MAX_ROWS = 1000

/** The values of a chart as a table. */
export function CurveTable({
  title,
  steps,
  lines,
}: {
  readonly title: string
  readonly steps: readonly number[]
  readonly lines: readonly Line[]
}) {
  const format = useFormatters()
  const t = useText(text)
  return (
    <ScrollRegion className={styles.frame} label={title}>
      <table className={styles.table}>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('step')}</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.slice(0, MAX_ROWS).map((step, index) => (
            <tr key={step}>
              <th scope="row">{format.count(step)}</th>
              {lines.map(({ name, values }) => (
                <td key={name}>{format.metric(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
