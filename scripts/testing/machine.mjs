// Use of the machine by the tests.
import { availableParallelism } from 'node:os'

/** Suites for which the workers of a suite leave cores. */
const SUITES_AT_ONCE = 2
/**
 * Share of its two workers' time in which a suite computes, rounded from its processor seconds beside other work. The rest of the time its
 * tests wait for processes, databases and clocks, which another suite can use.
 */
const BUSY = { page: 0.6, trainer: 0.6, packages: 0.45, service: 0.4, cluster: 0.1 }
/** Sum of the shares of the suites that run at the same time. With more, the same tests take more work: processes evict each other's caches. */
const MOST_BUSY = 1.25
/** Processes per core that the time limits allow for. */
const USUAL_PROCESSES = 1

/** Workers of each suite. */
export function workersPerSuite(cores = availableParallelism()) {
  return Math.max(2, Math.floor(cores / SUITES_AT_ONCE))
}

/** Returns whether a suite may start beside those that run: one always may. */
export function hasRoom(running, next) {
  const busy = (id) => BUSY[id.replace(/-full$/, '')] ?? 0.5
  return running.length === 0 || [...running, next].reduce((sum, id) => sum + busy(id), 0) <= MOST_BUSY
}

/** Factor by which a test may take longer because of concurrent tests. `suites`: in this run. */
export function crowding(suites, cores = availableParallelism()) {
  const processes = Math.min(suites, SUITES_AT_ONCE) * workersPerSuite(cores)
  return Math.max(1, processes / cores / USUAL_PROCESSES)
}
