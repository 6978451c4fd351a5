/** Suites that run at the same time. */
export const SUITES_AT_ONCE: number
/** Workers of each suite. */
export function workersPerSuite(cores?: number): number
/** How much longer a test may take because others run beside it. */
export function crowding(suites: number, cores?: number): number
