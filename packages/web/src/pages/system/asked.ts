import { prefetch } from '../../app/service'

/** Tasks that the page shows. */
export const TASKS = { page_size: 20 } as const
/** Tokens that the page shows; the command line has older ones. */
export const TOKENS = { page_size: 200 } as const

/** Asks for what the page shows, while its code is loaded. */
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
