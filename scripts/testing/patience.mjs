// Time limits of the tests, in one place. A limit ends a test that waits for an event that never occurs; it does not measure speed.
// On a slow or busy machine every limit grows by the same factor, which scripts/test.mjs measures before it starts the tests.

/** The environment variable that carries the factor to vitest, its workers and pytest. */
export const PATIENCE_VARIABLE = 'MEDLOOM_TEST_PATIENCE'

/** Limits on a quiet machine, in milliseconds. */
const LIMITS = {
  /** Until a state of another process is reached. */
  poll: 25_000,
  /** Until a state of a cluster is reached. */
  clusterPoll: 60_000,
  /** One test of the packages. */
  test: 30_000,
  /** One hook of the packages. */
  hook: 60_000,
  /** One test or hook with a service, a training or a cluster. */
  serviceTest: 120_000,
  /** Until the page shows something. */
  page: 90_000,
  /** One test or hook of the page. */
  pageTest: 360_000,
}

/** The limits of this process, in milliseconds. */
export const PATIENCE = limitsFor(factorFrom(process.env[PATIENCE_VARIABLE]))

/** Every limit, multiplied by the factor. */
export function limitsFor(factor) {
  return Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, Math.round(limit * factor)]))
}

/** The factor in the value of the environment variable; 1 if it is not set. */
export function factorFrom(value) {
  if (!value) return 1
  const factor = Number(value)
  if (!Number.isFinite(factor) || factor < 1)
    throw new Error(`${PATIENCE_VARIABLE}: "${value}" is not a number of at least 1.`)
  return factor
}

const LARGEST_FACTOR = 8
/** Under artificial load the machine is often slower than at the time of the measurement. */
const UNDER_LOAD = { smallest: 4, largest: 16, times: 2 }

/** The factor for a machine on which the calibrating loop took `ratio` times its reference. */
export function factorOf(ratio, { load = false } = {}) {
  const factor = load
    ? Math.min(UNDER_LOAD.largest, Math.max(UNDER_LOAD.smallest, UNDER_LOAD.times * ratio))
    : Math.min(LARGEST_FACTOR, Math.max(1, ratio))
  return Math.round(factor * 100) / 100
}
