// How much of the machine the tests use.
import { availableParallelism } from 'node:os'

/**
 * Suites that run at the same time. Their tests wait for other processes much of the time, which other suites can use: on two cores, two
 * suites leave a quarter of the time unused.
 */
export const SUITES_AT_ONCE = 3
/** Processes per core that the time limits allow for. */
const USUAL_PROCESSES = 2

/** Workers of each suite. */
export function workersPerSuite(cores = availableParallelism()) {
  return Math.max(2, Math.floor(cores / SUITES_AT_ONCE))
}

/** How much longer a test may take because others run beside it. `suites`: in this run. */
export function crowding(suites, cores = availableParallelism()) {
  const processes = Math.min(suites, SUITES_AT_ONCE) * workersPerSuite(cores)
  return Math.max(1, processes / cores / USUAL_PROCESSES)
}
