import type { RouteResponse } from '@medloom/contracts'
import type { ProgressMessage } from './latest-progress'

type Job = RouteResponse<'getJobStatus'>

/** The job after a progress message. Only the training phase reports progress, whatever phase was read last. */
export function applyProgress(job: Job, message: ProgressMessage): Job {
  const { epoch, metrics, eta_seconds } = message
  return {
    ...job,
    ...{ status: 'running', phase: 'training', queue_position: null, stalled: null },
    ...{ epoch, eta_seconds, metrics: { ...job.metrics, ...metrics } },
  }
}
