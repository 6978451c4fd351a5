import { PATIENCE as LIMITS } from '../../../scripts/testing/patience.mjs'

/** Milliseconds until content that the page must show counts as missing. A test of speed sets a shorter limit of its own. */
export const PATIENCE = LIMITS.page
