import type { JobMessage, RouteResponse } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import { useEffect } from 'react'
import { changedSoon } from '../../app/changed-soon'
import { connection } from '../../app/connection'
import { changed, queries, read, service } from '../../app/service'

export type Job = RouteResponse<'getJobStatus'>

/** Keeps the record of a running job up to date from its messages; the client heals lost connections. */
export function useLiveJob(job: Job | undefined): void {
  const jobId = job?.job_id
  const ended = job === undefined || isTerminal(job.status)
  useEffect(() => {
    if (jobId === undefined || ended) return
    const leave = new AbortController()
    void follow(jobId, leave.signal)
    return () => leave.abort()
  }, [jobId, ended])
}

async function follow(jobId: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const message of service.watch(jobId, { signal })) apply(jobId, message)
    await changed('getJobStatus', 'getJobMetrics', 'listJobCheckpoints', 'listJobEvents')
  } catch {
    // The client has tried for a while: say whether the service is there; a reload, or its return, follows again.
    if (!signal.aborted) connection.doubt()
  }
}

/** What a message says at once; the rest of the record is read again when something else has changed. */
function apply(jobId: string, message: JobMessage): void {
  if (message.type !== 'progress') {
    changedSoon('getJobStatus', 'getJobMetrics', 'listJobCheckpoints', 'listJobEvents')
    return
  }
  const { epoch, metrics, eta_seconds } = message
  queries.setQueryData<Job>(
    read('getJobStatus', { job_id: jobId }).queryKey,
    (job) =>
      job && { ...job, status: 'running', epoch, eta_seconds, metrics: { ...job.metrics, ...metrics } },
  )
  changedSoon('getJobMetrics')
}
