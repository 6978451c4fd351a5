import type { JobMessage, RouteResponse } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import { useEffect } from 'react'
import { connection } from '../../app/connection'
import { invalidateCoalesced } from '../../app/invalidate-coalesced'
import { invalidate, queryClient, RECONNECT_FOREVER, routeQuery, service } from '../../app/service'
import { applyProgress } from './apply-progress'
import { LatestProgress } from './latest-progress'

export type Job = RouteResponse<'getJobStatus'>

/** Updates the record of a running job from its messages; the client restores lost connections. */
export function useLiveJob(job: Job | undefined): void {
  const jobId = job?.job_id
  const ended = job === undefined || isTerminal(job.status)
  useEffect(() => {
    if (jobId === undefined || ended) return
    const controller = new AbortController()
    void follow(jobId, controller.signal)
    return () => controller.abort()
  }, [jobId, ended])
}

async function follow(jobId: string, signal: AbortSignal): Promise<void> {
  const progress = new LatestProgress((message) => {
    const { queryKey } = routeQuery('getJobStatus', { job_id: jobId })
    queryClient.setQueryData<Job>(queryKey, (job) => job && applyProgress(job, message))
  })
  try {
    for await (const message of service.watch(jobId, { signal, ...RECONNECT_FOREVER }))
      handleMessage(message, progress)
    await invalidate('getJobStatus', 'getJobMetrics', 'listJobCheckpoints', 'listJobEvents')
  } catch {
    // The service refused the request: probe whether it is reachable.
    if (!signal.aborted) connection.probe()
  }
}

/** Applies a message immediately; other changes cause the record to be read again. */
function handleMessage(message: JobMessage, progress: LatestProgress): void {
  if (message.type === 'progress') {
    progress.add(message)
    invalidateCoalesced('getJobMetrics')
    return
  }
  progress.flush()
  invalidateCoalesced('getJobStatus', 'getJobMetrics', 'listJobCheckpoints', 'listJobEvents')
}
