import { useQuery } from '@tanstack/react-query'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { PlainTable } from '../../components/plain-table'
import { Skeleton } from '../../components/skeleton'
import { useFigures } from '../../text/figures'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

const MOST = 10_000

/** Events by epoch; the curves show the progress within epochs. */
export function Events({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const figures = useFigures()
  const query = useQuery(read('listJobEvents', { job_id: jobId, limit: MOST }))
  if (query.isError) return <Broken error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={16} />
  const events = query.data.events.filter(({ type }) => type !== 'progress').reverse()
  return (
    <PlainTable
      label={t('tab.events')}
      head={[t('events.time'), t('events.type'), t('events.epoch'), t('events.figures')]}
      rows={events.map((event) => ({
        key: String(event.seq),
        cells: [
          figures.moment(event.timestamp),
          event.type,
          event.epoch,
          event.type === 'error'
            ? `${event.code}: ${event.error}`
            : Object.entries(event.metrics)
                .map(([name, value]) => `${name} ${figures.metric(value)}`)
                .join(' · '),
        ],
      }))}
    />
  )
}
