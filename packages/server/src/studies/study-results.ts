import {
  foldPlace,
  listed,
  type Phrase,
  phrase,
  type StudyCell,
  type StudyComparison,
  type StudyResults,
  type StudyVariantResult,
  type TrainingConfig,
} from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { TaskPool } from '../ports/task-pool.js'
import type { DataFolder } from '../storage/data-folder.js'
import { resultFile } from './held-out-metrics.js'
import { measuredTrainings, searchCells } from './search/trials.js'
import type { StudiesRepository } from './studies.repository.js'
import { studyFolder } from './study-folder.js'
import type { ReportPhase } from './study-phase.js'
import type { StudyRecord, TrainingRecord } from './study-record.js'
import { namesTestCases, type TestEvaluationsOptions, testEvaluation } from './test-evaluations.js'
import { ThrottledMessage } from './throttled-message.js'

export interface StudyResultsOptions extends TestEvaluationsOptions {
  readonly repository: StudiesRepository
  readonly folder: Pick<DataFolder, 'run' | 'study'>
  readonly pool: Pick<TaskPool, 'run'>
  /** Interval of progress notices; for tests. */
  readonly noticeMilliseconds?: number
}

/**
 * Statistics of a study over its complete trainings, for a search over those that it chose: writes results.json and returns the part that
 * the status shows.
 */
export class StudyResultsWriter {
  constructor(private readonly options: StudyResultsOptions) {}

  /** @throws AppError like the evaluation of a model and the computation in the worker. */
  async write(
    study: StudyRecord,
    trainings: readonly TrainingRecord[],
    phase: ReportPhase,
    signal: AbortSignal,
  ): Promise<void> {
    const { repository, folder, pool } = this.options
    const cells = await this.#cells(study, measuredTrainings(study.config, trainings), phase, signal)
    await phase('results')
    const { metric, reference } = study
    const out_file = studyFolder(folder.study(study.study_id)).results
    const status = new ThrottledMessage<readonly Phrase[]>(
      (detail) => phase('results', detail),
      this.options.noticeMilliseconds,
    )
    const onProgress = (fraction: number, message: string, phrases: readonly Phrase[] = listed([message])) =>
      status.send([...phrases, phrase('percent_done', { percent: Math.round(100 * fraction) })])
    const results = await pool
      .run('study_results', { cells, metric, reference, out_file }, { signal, onProgress })
      .finally(() => status.end())
    await repository.update(study, { results: shown(study, trainings, results) })
  }

  /** The held-out cases of the folds; without folds, the test split if one is named, otherwise validation. */
  async #cells(
    study: StudyRecord,
    complete: readonly TrainingRecord[],
    phase: ReportPhase,
    signal: AbortSignal,
  ): Promise<StudyCell[]> {
    const held_out = study.config.folds !== null
    const onTest = !held_out && (await this.#hasTest(study.config.config, complete))
    if (onTest) await phase('evaluating')
    const cells: StudyCell[] = []
    for (const { variant, seed, fold, job_id } of complete) {
      if (job_id === null) continue
      const evaluation = onTest
        ? await this.#onTest(job_id, signal)
        : resultFile(job_id, { held_out }, this.options.folder)
      cells.push({ variant, seed, ...foldPlace(fold), evaluation })
    }
    return cells
  }

  async #onTest(jobId: string, signal: AbortSignal): Promise<string> {
    const path = await testEvaluation(jobId, this.options, signal)
    if (path !== null) return path
    throw new AppError('MODEL_NOT_FOUND', phrase('model_of_job_removed', { job: jobId }))
  }

  async #hasTest(config: TrainingConfig, complete: readonly TrainingRecord[]): Promise<boolean> {
    const first = complete.find(({ job_id }) => job_id !== null)?.job_id
    return first ? namesTestCases(config, await this.options.job(first)) : false
  }
}

/** Part of the results that the status shows. */
function shown(study: StudyRecord, trainings: readonly TrainingRecord[], results: StudyResults) {
  const variants = results.variants.map((variant): StudyVariantResult => {
    const { name, kind, title, title_phrases, num_cases, num_trainings } = variant
    const { search } = study.config
    const searched = search?.name === name
    const given = searched ? search : study.config.variants.find((one) => one.name === name)
    const described = given?.description ?? null
    const total = searched
      ? searchCells(study.config, trainings).length
      : trainings.filter((training) => training.variant === name).length
    return {
      ...{ name, kind, num_cases },
      ...(kind === 'baseline'
        ? { description: title, description_phrases: title_phrases }
        : { description: described }),
      num_trainings: kind === 'baseline' ? num_trainings : total,
      num_completed: num_trainings,
      metrics: Object.fromEntries(
        Object.entries(variant.metrics).map(([metric, { mean, sd, estimate, low, high }]) => [
          metric,
          { mean, sd, estimate, low, high },
        ]),
      ),
    }
  })
  const comparisons = results.comparisons.map((comparison): StudyComparison => {
    const { a, b, metric, difference, p, p_corrected, test, correction } = comparison
    const corrected = correction === null ? p : p_corrected
    return { a, b, metric, difference, p: corrected, p_uncorrected: p, test, correction }
  })
  return { variants, comparisons }
}
