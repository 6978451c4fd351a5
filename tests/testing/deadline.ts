import { factorFrom, PATIENCE_VARIABLE } from '../../scripts/testing/patience.mjs'

const FACTOR = factorFrom(process.env[PATIENCE_VARIABLE])

/** Timeout in milliseconds for this many seconds; longer on a slow or busy machine, like all limits of the tests. */
export function patient(seconds: number): number {
  return seconds * 1000 * FACTOR
}
