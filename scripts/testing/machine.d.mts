/** Suites that run at the same time. */
export function suitesAtOnce(cores?: number): number
/** Workers of each suite. */
export function workersPerSuite(cores?: number): number
