import { isTerminal } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { ScrollRegion } from '../../components/scroll-region'
import { Skeleton } from '../../components/skeleton'
import { RUN_LOG_POLL_MILLISECONDS } from '../../durations'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { useEditor, useRunSummary } from '../state/context'
import styles from './panels.module.css'

/** Log of the latest run. */
export function LatestRunLog() {
  const t = useText(text)
  const { workflowId } = useEditor().session
  const { run_id, status } = useRunSummary()
  if (run_id === null) return <p className={styles.soft}>{t('log.none')}</p>
  return <RunLog workflowId={workflowId} runId={run_id} ended={isTerminal(status)} />
}

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
  const { queryKey, queryFn } = routeQuery('getWorkflowRunLog', { workflow_id: workflowId, run_id: runId })
  const log = useQuery({
    queryKey: [...queryKey, ended],
    queryFn,
    refetchInterval: ended ? false : RUN_LOG_POLL_MILLISECONDS,
  })
  if (log.isError) return <ErrorNotice error={log.error} onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton height={8} />
  return <LogLines lines={log.data.lines} truncated={log.data.truncated} />
}

/** Log lines with their timestamps. */
function LogLines({
  lines,
  truncated,
}: {
  readonly lines: readonly { readonly time: string; readonly message: string }[]
  readonly truncated: boolean
}) {
  const t = useText(text)
  if (lines.length === 0) return <p className={styles.soft}>{t('log.none')}</p>
  const content = lines.map(({ time, message }) => `${time.slice(11, 19)} ${message}`).join('\n')
  return (
    <>
      {truncated && <p className={styles.soft}>{t('log.truncated')}</p>}
      <ScrollRegion label={t('view.log')} className={styles.log}>
        <pre>{content}</pre>
      </ScrollRegion>
    </>
  )
}
