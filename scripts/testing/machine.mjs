// Use of the machine by the tests.
import { availableParallelism } from 'node:os'

/**
 * Suites that run at the same time. Tests wait for other processes much of the time, which another suite can use. On two cores a third suite
 * makes everything slower: the same tests then take more work, because processes evict each other from the caches.
 */
export const SUITES_AT_ONCE = 2
/** Processes per core that the time limits allow for. */
const USUAL_PROCESSES = 1

/** Workers of each suite. */
export function workersPerSuite(cores = availableParallelism()) {
  return Math.max(2, Math.floor(cores / SUITES_AT_ONCE))
}

/** Factor by which a test may take longer because of concurrent tests. `suites`: in this run. */
export function crowding(suites, cores = availableParallelism()) {
  const processes = Math.min(suites, SUITES_AT_ONCE) * workersPerSuite(cores)
  return Math.max(1, processes / cores / USUAL_PROCESSES)
}
