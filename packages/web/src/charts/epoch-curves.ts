import type { RouteResponse } from '@medloom/contracts'
import { service } from '../app/service'

export type Curve = RouteResponse<'listJobMetrics'>['curves'][number]

/** Jobs per request; the service allows no more. */
const MOST = 20
/** A list that is scrolled shows new rows in every frame; their curves are requested a few times a second. */
const WAIT_MILLISECONDS = 80

interface Wish {
  readonly jobId: string
  /** Aborted when the row is no longer visible. */
  readonly signal: AbortSignal
  readonly resolve: (curve: Curve) => void
  readonly reject: (error: unknown) => void
}
let wishes: Wish[] = []

/** Epochs of one job for a small chart. Rows that appear together share requests; rows that have disappeared by then are skipped. */
export function epochCurve(jobId: string, signal: AbortSignal): Promise<Curve> {
  return new Promise((resolve, reject) => {
    if (wishes.length === 0) setTimeout(ask, WAIT_MILLISECONDS)
    wishes.push({ jobId, signal, resolve, reject })
  })
}

function ask(): void {
  const all = wishes.filter(({ signal }) => !signal.aborted)
  for (const { signal, reject } of wishes) if (signal.aborted) reject(signal.reason)
  wishes = []
  for (let first = 0; first < all.length; first += MOST) void answer(all.slice(first, first + MOST))
}

async function answer(some: readonly Wish[]): Promise<void> {
  try {
    const jobs = [...new Set(some.map(({ jobId }) => jobId))].join(',')
    const { curves } = await service.listJobMetrics({ jobs, buckets: 1, lineage: 'true' })
    const byJob = new Map(curves.map((curve) => [curve.job_id, curve]))
    for (const { jobId, resolve, reject } of some) {
      const curve = byJob.get(jobId)
      if (curve) resolve(curve)
      else reject(new Error(`no curve of ${jobId}`))
    }
  } catch (error) {
    for (const { reject } of some) reject(error)
  }
}
