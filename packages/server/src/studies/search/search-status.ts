import {
  foldPlace,
  type StudyConfig,
  type StudySearchStatus,
  searchMetric,
  sizeOfSpace,
} from '@medloom/contracts'
import type { TrainingRecord } from '../study-record.js'
import { hasEnded, type SearchCell, searchCells, type Trial } from './trials.js'

/** Progress of the search of a study; null: the study has no search. @param metric the primary metric of the study. */
export function searchStatus(
  study: Pick<StudyConfig, 'config' | 'search'>,
  trainings: readonly TrainingRecord[],
  metric: string,
): StudySearchStatus | null {
  const { search } = study
  if (!search) return null
  const cells = searchCells(study, trainings)
  const size = sizeOfSpace(search.space)
  return {
    ...{ name: search.name, sampler: search.sampler, pruner: search.pruner },
    ...searchMetric(study.config, search),
    trials: cells[0]?.trials.length ?? 0,
    space_size: Number.isFinite(size) ? size : null,
    ...countsOf(cells.flatMap(({ trials }) => trials)),
    choices: cells.map((cell) => choiceOf(cell, metric)),
  }
}

function choiceOf({ trials, ended, best }: SearchCell, metric: string): StudySearchStatus['choices'][number] {
  const { seed = 0, fold = null } = trials[0] ?? {}
  return { seed, ...foldPlace(fold), ...countsOf(trials), ended, best: best && shown(best, metric) }
}

function shown({ trial, job_id, settings, value, metrics }: Trial, metric: string) {
  return {
    ...{ trial, job_id, settings: settings ?? {}, value: value ?? 0 },
    validation: metrics?.[metric] ?? null,
  }
}

function countsOf(trials: readonly Trial[]) {
  const counted = (status: string) =>
    trials.filter((trial) => trial.status === status && hasEnded(trial)).length
  return {
    asked: trials.filter(({ settings }) => settings !== null).length,
    completed: counted('completed'),
    pruned: counted('pruned'),
    failed: counted('failed'),
  }
}
