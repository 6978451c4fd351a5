import type { FastifyBaseLogger } from 'fastify'
import type { AppError } from '../errors.js'
import type { DataFolder } from '../storage/data-folder.js'
import { metricsIn, resultFile } from './held-out-metrics.js'
import type { Searches } from './search/searches.js'
import type { StudiesRepository } from './studies.repository.js'
import type { StudyRecord, TrainingRecord } from './study-record.js'
import { isInterruption } from './study-trainings.js'
import type { TableDigests } from './table-digests.js'

/** Maximum number of jobs of a training whose trainer was lost and that is continued automatically. */
const MAX_JOBS = 20

export interface OutcomesOptions {
  readonly repository: StudiesRepository
  readonly folder: Pick<DataFolder, 'run' | 'study'>
  readonly digests: TableDigests
  readonly searches: Searches
  readonly log: FastifyBaseLogger
}

export interface OutcomesListener {
  /** Called when the tables differ from those with which the study was started. */
  readonly refused: (study: StudyRecord, error: AppError) => Promise<void>
  readonly trialEnded: (position: number) => void
}

/** Processes the results of the ended jobs of a running study. */
export class TrainingOutcomes {
  /** Jobs that read the tables while these were unchanged. */
  readonly #prepared = new Set<string>()

  constructor(
    private readonly studyId: string,
    private readonly options: OutcomesOptions,
    private readonly listener: OutcomesListener,
    private readonly signal: AbortSignal,
  ) {}

  /** The job has started to train, so it has read the tables: if they are unchanged now, it has read the right ones. */
  async verify(jobId: string): Promise<void> {
    const { repository, digests, log } = this.options
    try {
      const study = await repository.find(this.studyId)
      if (study && !(await digests.changed(study))) this.#prepared.add(jobId)
    } catch (error) {
      log.warn({ err: error, study_id: this.studyId }, 'the tables of a study could not be compared')
    }
  }

  /**
   * Process the jobs that have ended since the last step: store their metrics, or that their training has to continue.
   * @returns true if that changes the next steps.
   */
  async settle(study: StudyRecord, trainings: readonly TrainingRecord[]): Promise<boolean> {
    let changed = false
    for (const training of trainings) {
      const { due, metrics, status, error } = training
      if (due || metrics !== null) continue
      if (status === 'completed') changed = (await this.#measured(study, training)) || changed
      else if (status === 'failed' && isInterruption(error?.code) && study.request === null && !study.error)
        changed = (await this.#takeUp(training)) || changed
    }
    return changed
  }

  /** @returns true if more work follows now: a trial has ended, or the study fails because its tables changed. */
  async #measured(study: StudyRecord, training: TrainingRecord): Promise<boolean> {
    const { repository, folder, digests, searches } = this.options
    const { position, job_id, trial } = training
    if (job_id === null) return false
    const place = { study_id: this.studyId, position, job_id }
    const wrong = this.#prepared.has(job_id) ? null : await digests.changed(study)
    if (wrong) {
      await repository.trainings.settle(place, { due: true })
      if (!study.error) await this.listener.refused(study, wrong)
      return true
    }
    const held_out = study.config.folds !== null
    await repository.trainings.settle(
      place,
      trial === null
        ? { metrics: (await metricsIn(resultFile(job_id, { held_out }, folder))) ?? {} }
        : await searches.outcomeOf(study, training, this.signal),
    )
    this.#prepared.delete(job_id)
    if (trial !== null) this.listener.trialEnded(position)
    // The next trial may wait for the result of this one.
    return trial !== null
  }

  /** Continues a training whose trainer was lost, unless it was lost too often. */
  async #takeUp({ position, job_id }: TrainingRecord): Promise<boolean> {
    const { repository } = this.options
    const jobs = (await repository.trainings.attempts(this.studyId)).filter(
      (job) => job.position === position,
    )
    if (job_id === null || jobs.length >= MAX_JOBS) return false
    await repository.trainings.settle({ study_id: this.studyId, position, job_id }, { due: true })
    return true
  }
}
