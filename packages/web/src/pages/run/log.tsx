import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { EmptyState } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { TextBlock } from '../../components/text-block'
import { JOB_LOG_POLL_MILLISECONDS } from '../../durations'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

const TAIL_BYTES = 262_144

/** End of the log, updated as it grows. */
export function Log({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const size = useQuery({
    ...routeQuery('getJobLogs', { job_id: jobId, limit: 1 }),
    refetchInterval: JOB_LOG_POLL_MILLISECONDS,
  })
  const offset = Math.max(0, (size.data?.size ?? 0) - TAIL_BYTES)
  const log = useQuery({
    ...routeQuery('getJobLogs', { job_id: jobId, offset, limit: TAIL_BYTES }),
    enabled: size.isSuccess,
    refetchInterval: JOB_LOG_POLL_MILLISECONDS,
  })
  const error = size.error ?? log.error
  if (error) return <ErrorNotice error={error} onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton height={20} />
  if (log.data.text === '') return <EmptyState title={t('log.empty')} />
  return <TextBlock label={t('tab.log')} text={log.data.text} />
}
