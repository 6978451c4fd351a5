// How much of the machine the tests use.
import { availableParallelism } from 'node:os'

/** Suites; no more can run at the same time. */
const SUITES = 4

/** Suites that run at the same time. Tests wait for other processes a third of their time, which another suite can use. */
export function suitesAtOnce(cores = availableParallelism()) {
  return Math.min(SUITES, Math.max(2, Math.floor(cores / 2)))
}

/** Workers of each suite. */
export function workersPerSuite(cores = availableParallelism()) {
  return Math.max(2, Math.floor(cores / suitesAtOnce(cores)))
}
