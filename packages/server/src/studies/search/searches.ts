import {
  type Job,
  joinTexts,
  type Metrics,
  pruningOf,
  randomTrials,
  type SearchSettings,
  type StudySearch,
  type StudyTrial,
  searchedConfig,
  searchMetric,
  type TrialSteps,
} from '@medloom/contracts'
import { placedMessage } from '../../errors.js'
import type { TaskPool } from '../../ports/task-pool.js'
import type { DataFolder } from '../../storage/data-folder.js'
import { readHistory } from '../../storage/run-history.js'
import { metricsIn, resultFile } from '../held-out-metrics.js'
import type { StudiesRepository } from '../studies.repository.js'
import type { StudyRecord, TrainingRecord } from '../study-record.js'
import { cellOf, isTrial, type SearchCell, searchCells, type Trial } from './trials.js'

export interface SearchesOptions {
  readonly repository: Pick<StudiesRepository, 'trainings'>
  readonly folder: Pick<DataFolder, 'run'>
  readonly pool: Pick<TaskPool, 'run'>
  readonly job: (jobId: string) => Promise<Job>
}

/** Result of an ended trial, from validation only. */
export interface TrialOutcome {
  readonly metrics: Metrics
  readonly value: number | null
  readonly pruned_at: number | null
}

const SEEDS = 2 ** 32

/**
 * Requests the settings of trials, and their early ends, from the trainer. Every request contains all inputs of its answer, so that the
 * answers are the same after a restart.
 */
export class Searches {
  constructor(private readonly options: SearchesOptions) {}

  /**
   * The settings of a trial that is due: stored ones, or new ones, which are stored first.
   * @returns null for settings that are not a valid configuration: the trial has failed.
   */
  async settingsOf(
    study: StudyRecord,
    training: TrainingRecord,
    signal: AbortSignal,
  ): Promise<SearchSettings | null> {
    if (training.settings) return training.settings
    const { search, cell } = this.#placeOf(study, training, await this.#trainings(study))
    const before = cell.trials.filter(({ trial }) => trial < (training.trial ?? 0))
    const { settings } = await this.options.pool.run(
      'study_suggest',
      {
        ...{ space: search.space, sampler: search.sampler },
        random_trials: randomTrials(cell.trials.length),
        seed: (search.seed + cell.number) % SEEDS,
        direction: searchMetric(study.config.config, search).better,
        history: await this.#historyOf(study, search, before),
      },
      { signal },
    )
    const { checked } = searchedConfig(study.config.config, settings)
    const refused = checked.ok ? null : joinTexts(checked.issues.map(placedMessage), 'semicolon')
    const place = { study_id: study.study_id, position: training.position }
    await this.options.repository.trainings.storeSettings(place, { settings, refused })
    return refused === null ? settings : null
  }

  /** Result of a trial's completed job. A job that the median rule would have ended counts as ended at that epoch. */
  async outcomeOf(study: StudyRecord, training: TrainingRecord, signal: AbortSignal): Promise<TrialOutcome> {
    const jobId = training.job_id ?? ''
    const { search } = this.#placeOf(study, training, [training])
    const { metric } = searchMetric(study.config.config, search)
    const { best } = await this.options.job(jobId)
    const file = resultFile(jobId, { held_out: false }, this.options.folder)
    return {
      metrics: (await metricsIn(file)) ?? {},
      value: best?.metrics[metric] ?? null,
      pruned_at: await this.prunedAt(study, training, signal),
    }
  }

  /** The epoch at which the median rule ends a trial, based on its current metrics; null: it continues. */
  async prunedAt(study: StudyRecord, training: TrainingRecord, signal: AbortSignal): Promise<number | null> {
    if (study.config.search?.pruner !== 'median' || training.job_id === null) return null
    const { search, cell } = this.#placeOf(study, training, await this.#trainings(study))
    const before = cell.trials.filter(({ trial }) => trial < (training.trial ?? 0))
    const complete = before.filter(({ status, value }) => status === 'completed' && value !== null)
    if (complete.length < pruningOf(search).startup_trials) return null
    const { epoch } = await this.options.pool.run(
      'study_prune',
      {
        ...pruningOf(search),
        direction: searchMetric(study.config.config, search).better,
        history: await this.#historyOf(study, search, before),
        steps: await this.#stepsOf(study, search, training),
      },
      { signal },
    )
    return epoch
  }

  #trainings({ study_id }: StudyRecord): Promise<TrainingRecord[]> {
    return this.options.repository.trainings.list(study_id)
  }

  #placeOf(
    study: StudyRecord,
    training: TrainingRecord,
    trainings: readonly TrainingRecord[],
  ): { search: StudySearch; cell: SearchCell } {
    const { search } = study.config
    const cell = cellOf(searchCells(study.config, trainings), training)
    if (!search || !cell || !isTrial(training)) throw new TypeError('the training is not a trial of a search')
    return { search, cell }
  }

  #historyOf(study: StudyRecord, search: StudySearch, trials: readonly Trial[]): Promise<StudyTrial[]> {
    return Promise.all(
      trials.map(async (trial): Promise<StudyTrial> => {
        const { settings, value } = trial
        const state = stateOf(trial)
        const steps = state === 'failed' ? [] : await this.#stepsOf(study, search, trial)
        return { settings: settings ?? {}, state, value: state === 'complete' ? value : null, steps }
      }),
    )
  }

  /** The validation metric after each epoch, including the epochs of jobs that this one continues. */
  async #stepsOf(
    study: StudyRecord,
    search: StudySearch,
    { job_id, pruned_at }: TrainingRecord,
  ): Promise<TrialSteps> {
    if (job_id === null) return []
    const { metric } = searchMetric(study.config.config, search)
    const { epochs } = await readHistory(this.options.folder.run(job_id))
    return (epochs ?? [])
      .filter(({ epoch }) => pruned_at === null || epoch <= pruned_at)
      .map(({ epoch, metrics }) => ({ epoch, value: metrics[metric] ?? null }))
  }
}

function stateOf({ status, value }: Trial): StudyTrial['state'] {
  if (status === 'completed') return value === null ? 'failed' : 'complete'
  if (status === 'pruned' || status === 'failed') return status
  return 'running'
}
