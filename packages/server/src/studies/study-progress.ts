import type { StudyProgress, StudyTrainingStatus } from '@medloom/contracts'

/** Trainings of a study in one state. */
export interface TrainingCount {
  readonly status: StudyTrainingStatus
  /** A job is to be started for them: whatever became of an earlier one, it does not count. */
  readonly due: boolean
  readonly count: number
  /** The shares of their epochs that are done, added up. */
  readonly done: number
}

/** How far a study is. A training that is done counts as one, one that runs as the share of its epochs. */
export function progressOf(counts: readonly TrainingCount[]): StudyProgress {
  const sum = (of: (count: TrainingCount) => boolean) =>
    counts.filter(of).reduce((total, { count }) => total + count, 0)
  const total = sum(() => true)
  const completed = sum(({ status, due }) => status === 'completed' && !due)
  const begun = counts
    .filter(({ status }) => status === 'running' || status === 'started')
    .reduce((shares, { done }) => shares + done, 0)
  return {
    total,
    completed,
    failed: sum(({ status, due }) => ENDED.includes(status) && !due),
    running: sum(({ status }) => status === 'running'),
    queued: sum(({ status }) => status === 'started'),
    fraction: total === 0 ? 0 : Math.min(1, (completed + begun) / total),
  }
}

const ENDED: readonly StudyTrainingStatus[] = ['failed', 'stopped', 'removed']
