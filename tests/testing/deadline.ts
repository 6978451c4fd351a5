import { factorFrom, PATIENCE_VARIABLE } from '../../scripts/testing/patience.mjs'

const FACTOR = factorFrom(process.env[PATIENCE_VARIABLE])

/** Milliseconds after which a wait of so many seconds fails; more on a slow or busy machine, as all limits of the tests. */
export function patient(seconds: number): number {
  return seconds * 1000 * FACTOR
}
