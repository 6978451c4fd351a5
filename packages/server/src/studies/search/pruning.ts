import type { FastifyBaseLogger } from 'fastify'
import type { StudiesRepository } from '../studies.repository.js'
import type { Searches } from './searches.js'

export interface PruningOptions {
  readonly repository: Pick<StudiesRepository, 'find' | 'trainings'>
  readonly searches: Pick<Searches, 'prunedAt'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Called when a trial is to be stopped. */
  readonly onPruned: () => void
}

/** Checks the running trials of a study after each of their epochs, with one request at a time per trial. */
export class Pruning {
  readonly #asking = new Set<string>()
  /** Trials that finished an epoch while their request was pending. */
  readonly #again = new Set<string>()

  constructor(
    private readonly studyId: string,
    private readonly options: PruningOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** Called when the job of the training at this position has finished an epoch. */
  epochEnded(position: number, jobId: string): void {
    if (this.signal.aborted) return
    if (this.#asking.has(jobId)) {
      this.#again.add(jobId)
      return
    }
    this.#asking.add(jobId)
    this.#look(position, jobId)
      .catch((error) => {
        if (!this.signal.aborted)
          this.options.log.warn(
            { err: error, job_id: jobId },
            'a trial could not be compared with the others',
          )
      })
      .finally(() => {
        this.#asking.delete(jobId)
        if (this.#again.delete(jobId)) this.epochEnded(position, jobId)
      })
  }

  async #look(position: number, job_id: string): Promise<void> {
    const { repository, searches, onPruned } = this.options
    const study = await repository.find(this.studyId)
    if (study?.config.search?.pruner !== 'median') return
    const training = (await repository.trainings.list(this.studyId))[position]
    if (!training || training.trial === null || training.pruned_at !== null) return
    if (training.job_id !== job_id) return
    const epoch = await searches.prunedAt(study, training, this.signal)
    if (epoch === null) return
    await repository.trainings.storePruning({ study_id: this.studyId, position, job_id }, epoch)
    onPruned()
  }
}
