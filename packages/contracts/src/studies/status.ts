/** States of a study, and the transitions between them. A study that has not completed can be resumed. */
export const STUDY_STATUSES = ['running', 'completed', 'failed', 'stopped'] as const
export type StudyStatus = (typeof STUDY_STATUSES)[number]

export const STUDY_TRANSITIONS = {
  running: ['completed', 'failed', 'stopped'],
  completed: [],
  failed: ['running'],
  stopped: ['running'],
} as const satisfies Record<StudyStatus, readonly StudyStatus[]>

export function studyCanBecome(from: StudyStatus, to: StudyStatus): boolean {
  return (STUDY_TRANSITIONS[from] as readonly StudyStatus[]).includes(to)
}

/** Phases of a running study: its trainings, the evaluation on the test split, the statistics, the report. */
export const STUDY_PHASES = ['training', 'evaluating', 'results', 'report'] as const
export type StudyPhase = (typeof STUDY_PHASES)[number]

/**
 * States of a training of a study: those of its job, and `waiting` while it has none. `removed`: its job was removed manually together with
 * its results. `pruned`: a trial of a search that was ended early because of its validation metric.
 */
export const STUDY_TRAINING_STATUSES = [
  'waiting',
  'started',
  'running',
  'completed',
  'pruned',
  'failed',
  'stopped',
  'removed',
] as const
export type StudyTrainingStatus = (typeof STUDY_TRAINING_STATUSES)[number]
