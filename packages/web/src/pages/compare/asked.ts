import { prefetch } from '../../app/service'
import type { Window } from '../../charts/curve-chart'
import type { CompareSearch } from './search'

/** A chart is about as many pixels wide. */
const BUCKETS = 300

/** What is asked of the service for the curves of trainings in a window. */
export function askedCurves(ids: readonly string[], window: Window | undefined) {
  return { jobs: ids.join(','), lineage: 'true', buckets: BUCKETS, ...window } as const
}

/** Asks for what the page shows first, while its code is loaded. */
export async function prefetchComparison({ jobs = [], from, to }: CompareSearch): Promise<void> {
  if (jobs.length === 0) return
  const window = from === undefined || to === undefined ? undefined : { from, to }
  await Promise.all([
    prefetch('listJobMetrics', askedCurves(jobs, window)),
    ...jobs.map((job_id) => prefetch('getJobStatus', { job_id })),
  ])
}
