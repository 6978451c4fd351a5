import type { StudyProgress, StudyTrainingStatus } from '@medloom/contracts'

/** Trainings of a study in one state. */
export interface TrainingCount {
  readonly status: StudyTrainingStatus
  /** A job has to be started for them: the result of an earlier job does not count. */
  readonly due: boolean
  /** True for trials of a search. */
  readonly trial: boolean
  readonly count: number
  /** Sum of the completed shares of their epochs. */
  readonly done: number
}

/**
 * Progress of a study. A training that is done counts as one, including a pruned or failed trial; a running one counts as its share of
 * epochs.
 */
export function progressOf(counts: readonly TrainingCount[]): StudyProgress {
  const sum = (matches: (count: TrainingCount) => boolean) =>
    counts.filter(matches).reduce((total, { count }) => total + count, 0)
  const total = sum(() => true)
  const completed = sum(({ status, due }) => status === 'completed' && !due)
  const pruned = sum(({ status }) => status === 'pruned')
  // A failed trial is not repeated automatically: the search continues without it.
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
