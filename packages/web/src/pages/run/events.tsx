import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { PlainTable } from '../../components/plain-table'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

const MAX_EVENTS = 10_000

/** Events by epoch; the curves show the progress within epochs. */
export function Events({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const format = useFormatters()
  const query = useQuery(routeQuery('listJobEvents', { job_id: jobId, limit: MAX_EVENTS }))
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={16} />
  const events = query.data.events.filter(({ type }) => type !== 'progress').reverse()
  return (
    <PlainTable
      label={t('tab.events')}
      head={[t('events.time'), t('events.type'), t('events.epoch'), t('events.values')]}
      rows={events.map((event) => ({
        key: String(event.seq),
        cells: [
          format.moment(event.timestamp),
          event.type,
          event.epoch,
          event.type === 'error'
            ? `${event.code}: ${event.error}`
            : Object.entries(event.metrics)
                .map(([name, value]) => `${name} ${format.metric(value)}`)
                .join(' · '),
        ],
      }))}
    />
  )
}
