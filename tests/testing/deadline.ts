import { factorFrom, PATIENCE_VARIABLE } from '../../scripts/testing/patience.mjs'

const FACTOR = factorFrom(process.env[PATIENCE_VARIABLE])

/** The moment at which a wait of so many seconds fails; later on a slow or busy machine, as all limits of the tests. */
export function deadlineAfter(seconds: number): number {
  return Date.now() + seconds * 1000 * FACTOR
}
