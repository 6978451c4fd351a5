import { prefetch } from '../../app/service'
import type { Window } from '../../charts/axis-range'
import type { CompareSearch } from './search'

/** Approximate width of a chart in pixels. */
const BUCKETS = 300

/** Query for the curves of trainings in a window. */
export function curvesQuery(ids: readonly string[], window: Window | undefined) {
  return { jobs: ids.join(','), lineage: 'true', buckets: BUCKETS, ...window } as const
}

/** Prefetches the initial data of the page while its code is loaded. */
export async function prefetchComparison({ jobs = [], from, to }: CompareSearch): Promise<void> {
  if (jobs.length === 0) return
  const window = from === undefined || to === undefined ? undefined : { from, to }
  await Promise.all([
    prefetch('listJobMetrics', curvesQuery(jobs, window)),
    ...jobs.map((job_id) => prefetch('getJobStatus', { job_id })),
  ])
}
