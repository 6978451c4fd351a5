/** Suites that run at the same time. */
export const SUITES_AT_ONCE: number
/** Workers of each suite. */
export function workersPerSuite(cores?: number): number
/** Factor by which a test may take longer because of concurrent tests. */
export function crowding(suites: number, cores?: number): number
