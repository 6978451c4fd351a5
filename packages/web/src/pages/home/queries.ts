import { prefetch } from '../../app/service'

/** Trainings per list on the page. */
const SHOWN = 6

export const JOB_QUERIES = {
  all: { page_size: 1 },
  running: { status: 'started,running', order: 'asc', page_size: SHOWN },
  ended: { status: 'completed,stopped', page_size: SHOWN },
  failed: { status: 'failed', page_size: SHOWN },
} as const

/** Prefetches the data of the page while its code is loaded. */
export function prefetchHome(): Promise<unknown> {
  return Promise.all([
    ...Object.values(JOB_QUERIES).map((query) => prefetch('listJobs', query)),
    prefetch('getSystemInfo', {}),
  ])
}
