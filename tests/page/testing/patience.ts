import { PATIENCE as LIMITS } from '../../../scripts/testing/patience.mjs'

/** Milliseconds until required content counts as missing. A speed test sets a shorter limit of its own. */
export const PATIENCE = LIMITS.page
