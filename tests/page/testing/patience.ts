/** Milliseconds until what a page must show counts as missing: long, since a machine may be busy. What must come soon says its own limit. */
export const PATIENCE = 90_000
