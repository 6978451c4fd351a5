import type { StudyProgress, StudyTrainingStatus } from '@medloom/contracts'

/** Trainings of a study in one state. */
export interface TrainingCount {
  readonly status: StudyTrainingStatus
  /** A job is to be started for them: whatever became of an earlier one, it does not count. */
  readonly due: boolean
  /** Of a search. */
  readonly trial: boolean
  readonly count: number
  /** The shares of their epochs that are done, added up. */
  readonly done: number
}

/** How far a study is. A training that is done counts as one, also a trial that was pruned or failed, one that runs as the share of its epochs. */
export function progressOf(counts: readonly TrainingCount[]): StudyProgress {
  const sum = (of: (count: TrainingCount) => boolean) =>
    counts.filter(of).reduce((total, { count }) => total + count, 0)
  const total = sum(() => true)
  const completed = sum(({ status, due }) => status === 'completed' && !due)
  const pruned = sum(({ status }) => status === 'pruned')
  // A trial that failed is not trained again by itself: the search goes on without it.
  const lost = sum(({ status, due, trial }) => trial && status === 'failed' && !due)
  const begun = counts
    .filter(({ status }) => status === 'running' || status === 'started')
    .reduce((shares, { done }) => shares + done, 0)
  return {
    total,
    completed,
    pruned,
    failed: sum(({ status, due }) => ENDED.includes(status) && !due),
    running: sum(({ status }) => status === 'running'),
    queued: sum(({ status }) => status === 'started'),
    fraction: total === 0 ? 0 : Math.min(1, (completed + pruned + lost + begun) / total),
  }
}

const ENDED: readonly StudyTrainingStatus[] = ['failed', 'stopped', 'removed']
