import type { FastifyBaseLogger } from 'fastify'
import type { StudiesRepository } from '../studies.repository.js'
import type { Searches } from './searches.js'

export interface PruningOptions {
  readonly repository: Pick<StudiesRepository, 'find' | 'trainings'>
  readonly searches: Pick<Searches, 'prunedAt'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Told when a trial is to be stopped. */
  readonly onPruned: () => void
}

/** Looks at the running trials of a study after each of their epochs: one question at a time for each. */
export class Pruning {
  readonly #asking = new Set<string>()
  /** Trials of which an epoch ended while their question was open. */
  readonly #again = new Set<string>()

  constructor(
    private readonly studyId: string,
    private readonly options: PruningOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** An epoch of the job that trains the training at this place has ended. */
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
    const training = (await repository.trainings.of(this.studyId))[position]
    if (!training || training.trial === null || training.pruned_at !== null) return
    if (training.job_id !== job_id) return
    const epoch = await searches.prunedAt(study, training, this.signal)
    if (epoch === null) return
    await repository.trainings.pruned({ study_id: this.studyId, position, job_id }, epoch)
    onPruned()
  }
}
