import type { RouteResponse } from '@medloom/contracts'
import type { ProgressMessage } from './newest-progress'

type Job = RouteResponse<'getJobStatus'>

/** A job after it has told how far it is. Only a training that trains tells it, whatever phase was read last. */
export function progressed(job: Job, message: ProgressMessage): Job {
  const { epoch, metrics, eta_seconds } = message
  return {
    ...job,
    ...{ status: 'running', phase: 'training', queue_position: null, stalled: null },
    ...{ epoch, eta_seconds, metrics: { ...job.metrics, ...metrics } },
  }
}
