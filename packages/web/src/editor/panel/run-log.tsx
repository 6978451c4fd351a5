import { useQuery } from '@tanstack/react-query'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { Skeleton } from '../../components/skeleton'
import { LogLines } from './log-lines'

const POLL_MILLISECONDS = 2_000

/** Stored log of a run. */
export function RunLog({
  workflowId,
  runId,
  ended,
}: {
  readonly workflowId: string
  readonly runId: string
  readonly ended: boolean
}) {
  const { queryKey, queryFn } = read('getWorkflowRunLog', { workflow_id: workflowId, run_id: runId })
  const log = useQuery({
    queryKey: [...queryKey, ended],
    queryFn,
    refetchInterval: ended ? false : POLL_MILLISECONDS,
  })
  if (log.isError) return <Broken error={log.error} onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton height={8} />
  return <LogLines lines={log.data.lines} truncated={log.data.truncated} />
}
