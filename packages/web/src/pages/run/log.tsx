import { useQuery } from '@tanstack/react-query'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { Empty } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { TextBlock } from '../../components/text-block'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'

const TAIL_BYTES = 262_144

/** End of the log, updated as it grows. */
export function Log({ jobId }: { readonly jobId: string }) {
  const t = useText(run)
  const size = useQuery({ ...read('getJobLogs', { job_id: jobId, limit: 1 }), refetchInterval: 3_000 })
  const offset = Math.max(0, (size.data?.size ?? 0) - TAIL_BYTES)
  const log = useQuery({
    ...read('getJobLogs', { job_id: jobId, offset, limit: TAIL_BYTES }),
    enabled: size.isSuccess,
    refetchInterval: 3_000,
  })
  const error = size.error ?? log.error
  if (error) return <Broken error={error} onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton height={20} />
  if (log.data.text === '') return <Empty title={t('log.empty')} />
  return <TextBlock label={t('tab.log')} text={log.data.text} />
}
