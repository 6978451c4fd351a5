import type { RouteResponse } from '@medloom/contracts'
import { service } from '../app/service'
import { CURVE_BATCH_MILLISECONDS } from '../durations'

export type Curve = RouteResponse<'listJobMetrics'>['curves'][number]

/** Jobs per request; the service allows no more. */
const MAX_JOBS = 20

interface PendingRequest {
  readonly jobId: string
  /** Aborted when the row is no longer visible. */
  readonly signal: AbortSignal
  readonly resolve: (curve: Curve) => void
  readonly reject: (error: unknown) => void
}
let pending: PendingRequest[] = []

/** Epochs of one job for a small chart. Rows that appear together share requests; rows that have disappeared by then are skipped. */
export function epochCurve(jobId: string, signal: AbortSignal): Promise<Curve> {
  return new Promise((resolve, reject) => {
    if (pending.length === 0) setTimeout(sendPending, CURVE_BATCH_MILLISECONDS)
    pending.push({ jobId, signal, resolve, reject })
  })
}

function sendPending(): void {
  const active = pending.filter(({ signal }) => !signal.aborted)
  for (const { signal, reject } of pending) if (signal.aborted) reject(signal.reason)
  pending = []
  for (let first = 0; first < active.length; first += MAX_JOBS)
    void requestCurves(active.slice(first, first + MAX_JOBS))
}

async function requestCurves(batch: readonly PendingRequest[]): Promise<void> {
  try {
    const jobs = [...new Set(batch.map(({ jobId }) => jobId))].join(',')
    const { curves } = await service.listJobMetrics({ jobs, buckets: 1, lineage: 'true' })
    const byJob = new Map(curves.map((curve) => [curve.job_id, curve]))
    for (const { jobId, resolve, reject } of batch) {
      const curve = byJob.get(jobId)
      if (curve) resolve(curve)
      else reject(new Error(`no curve of ${jobId}`))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
