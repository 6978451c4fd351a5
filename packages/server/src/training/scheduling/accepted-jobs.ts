import type { FastifyBaseLogger } from 'fastify'
import type { TrainingRepository } from '../training.repository.js'
import { wasSubmitted } from './job-run.js'
import type { Scheduler } from './scheduler.js'

/** How often the database is asked: a hint that a job was accepted may be lost. */
const POLL_MILLISECONDS = 2000

export interface AcceptedJobsOptions {
  readonly repository: Pick<TrainingRepository, 'waitingAfter' | 'find'>
  readonly scheduler: Pick<Scheduler, 'enqueue' | 'knows'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** Jobs that other processes have accepted: they stand in the database, and the queue of this one does not know them yet. */
export class AcceptedJobs {
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #again = false
  #closed = false
  /** Jobs are accepted in the order of their numbers, so those up to this one need not be looked at again: a queue may be long. */
  #seen = 0

  constructor(private readonly options: AcceptedJobsOptions) {}

  /** From here on, whoever accepts jobs beside this process. */
  start(): void {
    this.#timer = setInterval(() => this.look(), POLL_MILLISECONDS).unref()
    this.look()
  }

  /** One may have been accepted just now. */
  look(): void {
    if (this.#closed) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = this.#enqueueUnknown()
      .catch((error) =>
        this.options.log.warn({ err: error }, 'jobs that other processes accept are looked for again'),
      )
      .finally(() => {
        this.#looking = undefined
        if (!this.#again) return
        this.#again = false
        this.look()
      })
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }

  async #enqueueUnknown(): Promise<void> {
    const { repository, scheduler } = this.options
    for (const { number, job_id } of await repository.waitingAfter(this.#seen)) {
      if (!scheduler.knows(job_id)) await this.#enqueue(job_id)
      this.#seen = number
    }
  }

  async #enqueue(jobId: string): Promise<void> {
    const { repository, scheduler } = this.options
    const job = await repository.find(jobId)
    if (this.#closed) return
    // Its own process may have queued it meanwhile, or it was stopped.
    if (job?.status === 'started' && !wasSubmitted(job) && !scheduler.knows(jobId)) scheduler.enqueue(job)
  }
}
