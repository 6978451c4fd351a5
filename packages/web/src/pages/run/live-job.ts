import type { JobMessage, RouteResponse } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import { useEffect } from 'react'
import { changedSoon } from '../../app/changed-soon'
import { connection } from '../../app/connection'
import { changed, queries, read, STAYING, service } from '../../app/service'
import { NewestProgress } from './newest-progress'
import { progressed } from './progressed'

export type Job = RouteResponse<'getJobStatus'>

/** Updates the record of a running job from its messages; the client restores lost connections. */
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
  const progress = new NewestProgress((message) => {
    const { queryKey } = read('getJobStatus', { job_id: jobId })
    queries.setQueryData<Job>(queryKey, (job) => job && progressed(job, message))
  })
  try {
    for await (const message of service.watch(jobId, { signal, ...STAYING })) apply(message, progress)
    await changed('getJobStatus', 'getJobMetrics', 'listJobCheckpoints', 'listJobEvents')
  } catch {
    // The service refused the request: probe whether it is reachable.
    if (!signal.aborted) connection.probe()
  }
}

/** Applies a message immediately; other changes cause the record to be read again. */
function apply(message: JobMessage, progress: NewestProgress): void {
  if (message.type === 'progress') {
    progress.take(message)
    changedSoon('getJobMetrics')
    return
  }
  progress.showNow()
  changedSoon('getJobStatus', 'getJobMetrics', 'listJobCheckpoints', 'listJobEvents')
}
