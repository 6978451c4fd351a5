import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { compare as text } from '../../text/compare'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'
import type { Job } from '../run/live-job'
import { jobNames } from './job-names'

/** Metrics of the best epoch, or the latest ones while there is no best epoch. */
export function Metrics({ jobs }: { readonly jobs: readonly Job[] }) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const metrics = jobs.map((job) => job.best?.metrics ?? job.metrics)
  const names = [...new Set(metrics.flatMap((values) => Object.keys(values)))].filter((name) =>
    metrics.some((values) => (values[name] ?? null) !== null),
  )
  if (names.length === 0) return <EmptyState title={t('metrics.none')} />
  return (
    <PlainTable
      label={t('metrics.title')}
      head={[
        t('metrics.name'),
        ...jobNames(jobs).map((title, index) => ({
          key: jobs[index]?.job_id ?? title,
          title,
          numeric: true,
        })),
      ]}
      rows={names.map((name) => ({
        key: name,
        cells: [nameOf(name), ...metrics.map((values) => format.metric(values[name]))],
      }))}
    />
  )
}
