/** Limits of one study. */
export const STUDY_LIMITS = { study_trainings: 2000 } as const
