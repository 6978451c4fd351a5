// How much of the machine the tests use.
import { availableParallelism } from 'node:os'

/**
 * Suites that run at the same time. Tests wait for other processes much of the time, which another suite can use. On two cores a third one
 * makes everything longer: the same tests then take more work, since processes take each other's place in the caches.
 */
export const SUITES_AT_ONCE = 2
/** Processes per core that the time limits allow for. */
const USUAL_PROCESSES = 1

/** Workers of each suite. */
export function workersPerSuite(cores = availableParallelism()) {
  return Math.max(2, Math.floor(cores / SUITES_AT_ONCE))
}

/** How much longer a test may take because others run beside it. `suites`: in this run. */
export function crowding(suites, cores = availableParallelism()) {
  const processes = Math.min(suites, SUITES_AT_ONCE) * workersPerSuite(cores)
  return Math.max(1, processes / cores / USUAL_PROCESSES)
}
