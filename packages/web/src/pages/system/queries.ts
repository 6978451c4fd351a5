import { prefetch } from '../../app/service'

/** Number of tasks on the page. */
export const TASKS = { page_size: 20 } as const
/** Number of tokens on the page; the command line lists older ones. */
export const TOKENS = { page_size: 200 } as const

/** Prefetches the data of the page while its code is loaded. */
export function prefetchSystem(): Promise<unknown> {
  return Promise.all([
    prefetch('getServiceState', {}),
    prefetch('listTasks', TASKS),
    prefetch('getReady', {}),
    prefetch('getPreparedCache', {}),
    prefetch('getCache', {}),
    prefetch('listFiles', {}),
    prefetch('getSystemInfo', {}),
    prefetch('getSession', {}),
    prefetch('listUsers', {}),
  ])
}
