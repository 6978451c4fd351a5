import type { RouteResponse } from '@medloom/contracts'
import { service } from '../app/service'

export type Curve = RouteResponse<'listJobMetrics'>['curves'][number]

/** Jobs of one request, as the service allows. */
const MOST = 20
const WAIT_MILLISECONDS = 15

interface Wish {
  readonly jobId: string
  readonly resolve: (curve: Curve) => void
  readonly reject: (error: unknown) => void
}
let wishes: Wish[] = []

/** The epochs of one job for a small drawing. The rows of a table ask in the same moment, so they share requests. */
export function epochCurve(jobId: string): Promise<Curve> {
  return new Promise((resolve, reject) => {
    if (wishes.length === 0) setTimeout(ask, WAIT_MILLISECONDS)
    wishes.push({ jobId, resolve, reject })
  })
}

function ask(): void {
  const all = wishes
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
