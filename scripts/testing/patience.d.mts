export type LimitName = 'poll' | 'clusterPoll' | 'test' | 'hook' | 'serviceTest' | 'page' | 'pageTest'
/** The environment variable that carries the factor to vitest, its workers and pytest. */
export const PATIENCE_VARIABLE: string
/** The limits of this process, in milliseconds. */
export const PATIENCE: Readonly<Record<LimitName, number>>
/** Every limit, multiplied by the factor. */
export function limitsFor(factor: number): Readonly<Record<LimitName, number>>
/** The factor in the value of the environment variable; 1 if it is not set. */
export function factorFrom(value: string | undefined): number
/** The factor for a machine on which the calibrating loop took `ratio` times its reference. */
export function factorOf(ratio: number, options?: { load?: boolean }): number
