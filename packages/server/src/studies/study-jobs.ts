import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import type { TrainingRecord } from './study-record.js'

/** A training with its job. */
export type FollowedTraining = Pick<TrainingRecord, 'position' | 'trial'> & { readonly job_id: string }

export interface StudyJobsOptions {
  readonly trainings: Pick<TrainingGateway, 'follow' | 'stop'>
  readonly log: FastifyBaseLogger
}

export interface StudyJobsListener {
  /** A job sent an event of this type. */
  readonly onEvent: (training: FollowedTraining, type: string, isFirst: boolean) => void
  readonly ended: (training: FollowedTraining) => void
  /** A job received its stop request, or could not be reached. */
  readonly stopped: () => void
}

/** The jobs of a running study: each is followed once, and stopped once. */
export class StudyJobs {
  readonly #following = new Map<string, AbortController>()
  readonly #stopping = new Set<string>()
  #closed = false

  constructor(
    private readonly options: StudyJobsOptions,
    private readonly listener: StudyJobsListener,
  ) {}

  follow({ job_id, position, trial }: Pick<TrainingRecord, 'job_id' | 'position' | 'trial'>): void {
    if (job_id === null || this.#following.has(job_id) || this.#closed) return
    const training = { job_id, position, trial }
    const abort = new AbortController()
    this.#following.set(job_id, abort)
    let isFirst = true
    const onMessage = (type: string) => {
      this.listener.onEvent(training, type, isFirst)
      isFirst = false
    }
    this.options.trainings
      .follow(job_id, ({ type }) => onMessage(type), abort.signal)
      .catch((error) =>
        this.options.log.warn({ err: error, job_id }, 'a training of a study could not be monitored'),
      )
      .finally(() => {
        if (this.#closed) return
        this.#following.delete(job_id)
        this.listener.ended(training)
      })
  }

  stop(trainings: readonly Pick<TrainingRecord, 'job_id'>[]): void {
    for (const { job_id } of trainings) {
      if (job_id === null || this.#stopping.has(job_id)) continue
      this.#stopping.add(job_id)
      this.options.trainings
        .stop(job_id)
        .catch((error) => {
          if (!(error instanceof AppError && error.code === 'JOB_NOT_RUNNING'))
            this.options.log.warn({ err: error, job_id }, 'a training of a study could not be stopped')
        })
        .finally(() => this.listener.stopped())
    }
  }

  /** The jobs continue, but their events are ignored. */
  close(): void {
    this.#closed = true
    for (const following of this.#following.values()) following.abort()
  }
}
