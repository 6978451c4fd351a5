import { fieldsOf, isTerminal, phrase, type TrainingConfig, textOf } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../../errors.js'
import type { Capacity, Launcher, RunningTrainer } from '../../ports/launcher.js'
import type { ControlRequest, RunExchanges } from '../../ports/run-exchange.js'
import { readStoredConfig } from '../configuration/stored-config.js'
import type { EventIngest } from '../events/event-ingest.js'
import { isWaiting, type JobRecord, started } from '../job-record.js'
import type { ResourceLevelsRepository } from '../resources/resource-levels.repository.js'
import type { TrainingRepository } from '../training.repository.js'
import { Attempt } from './attempt.js'
import { environmentFault } from './environment-fault.js'
import { type Grant, grantOf } from './grant.js'

export interface JobRunOptions {
  readonly repository: TrainingRepository
  readonly ingest: EventIngest
  readonly resources: ResourceLevelsRepository
  readonly launcher: Launcher
  /** Rejects when another process has become the controller. */
  readonly confirm: () => Promise<void>
  /** Devices and slots for training, as soon as the launcher knows them. */
  readonly capacity: () => Promise<Capacity>
  readonly exchange: RunExchanges
  readonly stopGraceSeconds: number
  readonly lookMilliseconds?: number | undefined
  readonly log: FastifyBaseLogger
  readonly onStarted: () => void
  readonly onFault: (error: unknown) => void
  readonly onEnded: (job: JobRecord) => void
}

/** A job from the moment it leaves the queue until its trainer is gone, over all of its attempts. */
export class JobRun {
  /** Resolves once the terminal status is durable and published, or the job is not followed any more. */
  readonly ended: Promise<void>
  #attempt: Attempt | undefined
  #request: ControlRequest | null = null
  #resolveEnded: () => void = () => undefined
  #detached = false
  #blocked: AppError | null = null

  constructor(
    readonly jobId: string,
    readonly options: JobRunOptions,
  ) {
    this.ended = new Promise((done) => {
      this.#resolveEnded = done
    })
  }

  /**
   * Start the job with its grant, or follow its trainer that was already submitted. Resolves once the trainer is gone.
   * @returns the fault of the machine if it prevented the start: the job is still waiting.
   */
  async run(grant: Grant | null): Promise<AppError | null> {
    try {
      await this.#run(grant)
      return this.#blocked
    } finally {
      this.#resolveEnded()
    }
  }

  async #run(grant: Grant | null): Promise<void> {
    const { repository } = this.options
    for (;;) {
      const job = await repository.find(this.jobId)
      if (!job || this.#detached) return
      if (isTerminal(job.status)) this.#resolveEnded()
      else this.#request ??= job.request
      const submitted = this.#attempt === undefined && wasSubmitted(job)
      // It was stopped while it waited for another start.
      if (isTerminal(job.status) && !submitted) return
      const attempt = submitted ? this.#adopt(job) : await this.#launch(job, grant)
      if (!attempt) return
      this.#attempt = attempt
      if (this.#detached) return attempt.detach()
      if (this.#request) await attempt.sendRequest(this.#request)
      if ((await attempt.follow()) !== 'again') return
    }
  }

  /**
   * The request is already durable. A stop is final, whatever is requested after it or at the same time.
   * @returns the request that the trainer has now.
   */
  async sendRequest(request: ControlRequest): Promise<ControlRequest> {
    if (this.#request !== 'stop') this.#request = request
    await this.#attempt?.sendRequest(this.#request)
    return this.#request
  }

  detach(): void {
    this.#detached = true
    this.#attempt?.detach()
  }

  #adopt(job: JobRecord): Attempt {
    const { launcher } = this.options
    return this.#attemptOf(job, job.handle ? launcher.attach(job.handle) : NEVER_SUBMITTED)
  }

  async #launch(job: JobRecord, grant: Grant | null): Promise<Attempt | null> {
    const { repository, launcher, exchange, confirm } = this.options
    const attempt = job.attempt + 1
    try {
      // The service may have been updated while the job waited.
      const config = readStoredConfig(job.config)
      const { device, num_workers, resources, places } = grant ?? (await this.#adoptedGrant(job, config))
      const training = { ...config.training, device, num_workers }
      const { job_name, resumed_from, resumed_checkpoint, fine_tuned_from } = job
      const source = await exchange(job.job_id).putSpec({
        job_name,
        attempt,
        resumed_from,
        resumed_checkpoint,
        fine_tuned_from,
        config: { ...config, training },
      })
      let submitted = job
      const trainer = await launcher.submit(
        { job_id: job.job_id, attempt, resources, ...source },
        async (handle, state) => {
          const changes: Partial<JobRecord> = {
            ...(state === 'running' && isWaiting(job) ? started(job) : {}),
            attempt,
            config,
            handle,
            places,
            events_offset: 0,
            stalled: null,
          }
          submitted = { ...job, ...changes }
          if (!(await repository.update(job, changes))) return false
          // Since the row was stored, this process may have been suspended until another one replaced it and took over the trainer.
          await confirm()
          return true
        },
      )
      if (!trainer) await this.#freeReserve(attempt)
      else this.options.onStarted()
      return trainer && this.#attemptOf(submitted, trainer)
    } catch (error) {
      await this.#freeReserve(attempt)
      // The service closes: jobs that could not be started stay queued for the next one.
      if (!this.#detached) await this.#fail(job, error)
      return null
    }
  }

  /** Grant of a job that an earlier service started, and that is started again in the same slots. */
  async #adoptedGrant({ job_id: id, places }: JobRecord, { training }: TrainingConfig): Promise<Grant> {
    const { device, num_workers } = training
    return grantOf({ id, device, num_workers, places: places ?? [] }, await this.options.capacity())
  }

  /** Frees the reserve of an attempt whose trainer never started. */
  async #freeReserve(attempt: number): Promise<void> {
    const { exchange, log } = this.options
    await exchange(this.jobId)
      .freeReserve(attempt)
      .catch((error) =>
        log.warn({ err: error, job_id: this.jobId }, 'the reserved disk space could not be released'),
      )
  }

  /** A fault that would also fail the next job does not fail this one: the job waits. */
  async #fail(job: JobRecord, error: unknown): Promise<void> {
    this.options.log.error({ err: error, job_id: job.job_id }, 'the job could not be started')
    const fault = environmentFault(error)
    if (fault && isWaiting(job)) {
      this.#blocked = fault
      return
    }
    const known =
      fault ??
      (error instanceof AppError ? error : new AppError('TRAINER_FAILED', phrase('job_could_not_start')))
    const ended = await this.options.ingest.end(job, {
      type: 'error',
      timestamp: new Date().toISOString(),
      attempt: job.attempt,
      epoch: job.epoch,
      code: known.code,
      ...fieldsOf('message', known.text),
      ...fieldsOf('details', known.remedy),
      trace: null,
    })
    if (ended) this.options.onEnded(ended)
  }

  #attemptOf(job: JobRecord, trainer: RunningTrainer): Attempt {
    const { exchange, onEnded, ...rest } = this.options
    return new Attempt(job, trainer, {
      ...rest,
      exchange: exchange(this.jobId),
      onEnded: (ended) => {
        onEnded(ended)
        this.#resolveEnded()
      },
    })
  }
}

/** Returns true if a trainer may exist for the job: an earlier service submitted one and did not see it end. */
export function wasSubmitted({ status, handle }: Pick<JobRecord, 'status' | 'handle'>): boolean {
  return status === 'running' || handle !== null
}

/** The trainer of a running job without a handle: a handle is stored before a trainer starts, so no trainer exists. */
const NEVER_SUBMITTED: RunningTrainer = {
  handle: { launcher: 'none' },
  state: async () => 'gone',
  begun: Promise.resolve(),
  gone: Promise.resolve(textOf(phrase('never_submitted'))),
  stop: async () => undefined,
  kill: async () => undefined,
  release: () => undefined,
}
