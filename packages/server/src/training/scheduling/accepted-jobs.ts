import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../../concurrency/coalescer.js'
import { repeatEvery } from '../../concurrency/repeat-every.js'
import { ACCEPTED_JOBS_POLL_MILLISECONDS } from '../../durations.js'
import type { TrainingRepository } from '../training.repository.js'
import { wasSubmitted } from './job-run.js'
import type { Scheduler } from './scheduler.js'

export interface AcceptedJobsOptions {
  readonly repository: Pick<TrainingRepository, 'waitingAfter' | 'find'>
  readonly scheduler: Pick<Scheduler, 'enqueue' | 'knows'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** Jobs accepted by other processes: they are in the database, but not yet in the queue of this process. */
export class AcceptedJobs {
  #endPolling: () => void = () => undefined
  readonly #enqueue = new Coalescer(() => this.#enqueueUnknown(), {
    onError: (error) =>
      this.options.log.warn({ err: error }, 'jobs that other processes accept are looked for again'),
  })
  #closed = false
  /** Jobs are accepted in the order of their numbers, so jobs up to this number are not read again: a queue can be long. */
  #seen = 0

  constructor(private readonly options: AcceptedJobsOptions) {}

  /** Start to look for jobs that other processes accept. */
  start(): void {
    this.#endPolling = repeatEvery(ACCEPTED_JOBS_POLL_MILLISECONDS, () => this.look())
    this.look()
  }

  /** Called when a job may have been accepted. */
  look(): void {
    if (!this.#closed) void this.#enqueue.flush()
  }

  close(): void {
    this.#closed = true
    this.#endPolling()
  }

  async #enqueueUnknown(): Promise<void> {
    const { repository, scheduler } = this.options
    for (const { number, job_id } of await repository.waitingAfter(this.#seen)) {
      if (!scheduler.knows(job_id)) await this.#enqueueOne(job_id)
      this.#seen = number
    }
  }

  async #enqueueOne(jobId: string): Promise<void> {
    const { repository, scheduler } = this.options
    const job = await repository.find(jobId)
    if (this.#closed) return
    // Its own process may have queued it meanwhile, or it was stopped.
    if (job?.status === 'started' && !wasSubmitted(job) && !scheduler.knows(jobId)) scheduler.enqueue(job)
  }
}
