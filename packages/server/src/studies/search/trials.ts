import { foldPlace, type StudyConfig, searchMetric } from '@medloom/contracts'
import { isComplete, type TrainingRecord } from '../study-record.js'

export interface Trial extends TrainingRecord {
  readonly trial: number
}

/** The trials of one seed and fold, in the order in which they are suggested. */
export interface SearchCell {
  /** Index among the seeds and folds. */
  readonly number: number
  readonly trials: readonly Trial[]
  readonly ended: boolean
  /** The best complete trial by validation. */
  readonly best: Trial | null
}

type Searched = Pick<StudyConfig, 'config' | 'search'>

/** The searches of a study, one for each seed and fold. Held-out data never influences their choices. */
export function searchCells(study: Searched, trainings: readonly TrainingRecord[]): SearchCell[] {
  if (!study.search) return []
  const { better } = searchMetric(study.config, study.search)
  const cells = new Map<string, Trial[]>()
  for (const training of trainings) {
    if (!isTrial(training)) continue
    const key = placeOf(training)
    const trials = cells.get(key)
    if (trials) trials.push(training)
    else cells.set(key, [training])
  }
  return [...cells.values()].map((trials, number) => ({
    number,
    trials,
    ended: trials.every(hasEnded),
    best: bestOf(trials, better),
  }))
}

export function isTrial(training: TrainingRecord): training is Trial {
  return training.trial !== null
}

/** The cell that contains a trial. */
export function cellOf(cells: readonly SearchCell[], training: TrainingRecord): SearchCell | undefined {
  return cells.find(({ trials }) => trials.some(({ position }) => position === training.position))
}

/** Returns true if a trial does not continue by itself: it is evaluated, was pruned, or failed. */
export function hasEnded(training: TrainingRecord): boolean {
  if (training.status === 'completed') return isComplete(training) && training.metrics !== null
  return !training.due && (training.status === 'pruned' || training.status === 'failed')
}

/**
 * Returns true if the settings of a trial may be requested. TPE learns from earlier trials, and the median rule compares with them: in
 * these cases trials run one after the other, so that the same study has the same trials, whatever number runs in parallel and however
 * often the service was restarted.
 */
export function isReady(
  { search }: Searched,
  cells: readonly SearchCell[],
  training: TrainingRecord,
): boolean {
  if (!search || !isTrial(training)) return true
  if (search.sampler !== 'tpe' && search.pruner === 'none') return true
  const before = cellOf(cells, training)?.trials.filter(({ trial }) => trial < training.trial) ?? []
  return before.every(hasEnded)
}

/** Trainings that the results include: the named variants, and the choice of each search. Other trials are not included. */
export function measuredTrainings(study: Searched, trainings: readonly TrainingRecord[]): TrainingRecord[] {
  const chosen = new Set(
    searchCells(study, trainings).flatMap(({ ended, best }) => (ended && best ? [best.position] : [])),
  )
  return trainings.filter((training) =>
    isTrial(training) ? chosen.has(training.position) : isComplete(training),
  )
}

function bestOf(trials: readonly Trial[], better: 'lower' | 'higher'): Trial | null {
  let best: { trial: Trial; value: number } | null = null
  for (const trial of trials) {
    const { value } = trial
    if (value === null || !hasEnded(trial) || !isComplete(trial)) continue
    // The first of equal trials wins.
    if (best === null || (better === 'lower' ? value < best.value : value > best.value))
      best = { trial, value }
  }
  return best?.trial ?? null
}

function placeOf({ seed, fold }: TrainingRecord): string {
  return JSON.stringify([seed, foldPlace(fold)])
}
