/** Correctness of two models on a case. */
export const AGREEMENTS = ['both_right', 'only_first', 'only_second', 'both_wrong'] as const
export type Agreement = (typeof AGREEMENTS)[number]
