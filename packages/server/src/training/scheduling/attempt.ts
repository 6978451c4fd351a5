import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isTerminal } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { EventTail, readChunk } from '../../launchers/exchange/event-file.js'
import {
  ask,
  type ControlRequest,
  readResult,
  type TerminalEvent,
} from '../../launchers/exchange/file-exchange.js'
import { readTrace } from '../../launchers/exchange/run-log.js'
import type { TrainerProcess } from '../../launchers/local/trainer-process.js'
import type { RunDirectory } from '../../storage/run-directory.js'
import type { EventIngest } from '../events/event-ingest.js'
import type { JobRecord } from '../job-record.js'
import type { TrainingRepository } from '../training.repository.js'

export interface AttemptOptions {
  readonly repository: TrainingRepository
  readonly ingest: EventIngest
  readonly run: RunDirectory
  readonly log: FastifyBaseLogger
  /** From the request to stop until the process is made to. */
  readonly stopGraceSeconds: number
  /** Once, as soon as the end is durable and told to the followers. */
  readonly onEnded: (job: JobRecord) => void
}

/** Between SIGTERM and SIGKILL. */
const TERM_SECONDS = 5
/** A job that was lost before it took its order is started once more, not for ever. */
const MAX_ATTEMPTS = 2

/** One start of a job's process, from the moment it has its order until it is gone. */
export class Attempt {
  readonly #log: FastifyBaseLogger
  #offset: number
  #job: JobRecord
  #escalation: Promise<void> | undefined
  #killed = false
  #detached = false
  #detach: () => void = () => undefined
  readonly #left = new Promise<void>((done) => {
    this.#detach = done
  })
  #told: () => void = () => undefined
  readonly #ended = new Promise<void>((done) => {
    this.#told = done
  })

  constructor(
    job: JobRecord,
    readonly process: TrainerProcess,
    readonly options: AttemptOptions,
  ) {
    this.#job = job
    this.#offset = job.events_offset
    this.#log = options.log.child({ job_id: job.job_id, attempt: job.attempt })
  }

  /** "ended": the job has a terminal status and its process is gone. "again": the process died before it took its order. */
  async follow(): Promise<'ended' | 'again' | 'detached'> {
    const { run } = this.options
    const tail = new EventTail(run.events(this.#job.attempt), () => this.#look())
    const how = await Promise.race([this.process.gone, this.#ended, this.#left])
    await tail.close()
    if (this.#detached) return 'detached'
    if (!isTerminal(this.#job.status)) {
      await this.#durably(() => this.#drain())
      if (!isTerminal(this.#job.status) && !(await this.#conclude(how ?? '')))
        return this.#detached ? 'detached' : 'again'
    }
    await this.#clear()
    return 'ended'
  }

  /** The request is durable already. A stop is enforced when the grace period is over. */
  async ask(request: ControlRequest): Promise<void> {
    try {
      await ask(this.options.run, this.#job.attempt, request)
    } catch (error) {
      this.#log.warn({ err: error }, 'the request could not be written; the trainer is signalled')
      if (request === 'stop') await this.process.signal('SIGTERM')
    }
    if (request === 'stop') this.#escalation ??= this.#escalate()
  }

  /** The service ends; the training goes on. */
  detach(): void {
    this.#detached = true
    this.process.release()
    this.#detach()
  }

  async #look(): Promise<void> {
    try {
      await this.#drain()
    } catch (error) {
      this.#log.error({ err: error }, 'events could not be stored; they are read again')
    }
  }

  async #drain(): Promise<void> {
    const { job_id, attempt } = this.#job
    while (!isTerminal(this.#job.status)) {
      const chunk = await readChunk(this.options.run.events(attempt), this.#offset)
      if (!chunk) return
      const job = await this.options.ingest.take(job_id, attempt, chunk)
      this.#offset = chunk.end
      if (job) this.#became(job)
    }
  }

  #became(job: JobRecord): void {
    this.#job = job
    if (!isTerminal(job.status)) return
    this.options.onEnded(job)
    this.#told()
  }

  /**
   * The process is gone and its events do not tell an end: the result does, or nobody knows. Silence is never success.
   * @returns false when the order was not taken and the job may be started again.
   */
  async #conclude(how: string): Promise<boolean> {
    const { run, repository, ingest, stopGraceSeconds } = this.options
    const { job_id, attempt } = this.#job
    return this.#durably(async () => {
      const job = (await repository.find(job_id)) ?? this.#job
      const result = await readResult(run, attempt)
      const stopped = this.#killed
        ? `stopped: killed, since it had not ended within ${stopGraceSeconds} s`
        : 'stopped: its process was gone before it could report'
      const silent = job.events_offset === 0 && (await sizeOf(run.events(attempt))) === 0
      if (!result && job.request !== 'stop' && silent && attempt < MAX_ATTEMPTS) return false
      const end =
        result ??
        (job.request === 'stop'
          ? stoppedEvent(job, stopped)
          : lostEvent(job, how, silent, await readTrace(run.log)))
      const ended = await ingest.end(job_id, attempt, end)
      if (ended) this.#became(ended)
      return true
    })
  }

  /** A trainer has nothing to do after its end: what is left of it is made to go, so that its place is free. */
  async #clear(): Promise<void> {
    const gone = this.process.gone.then(() => true)
    const grace = this.options.stopGraceSeconds * 1000
    if (!(await Promise.race([gone, delay(grace, false, { ref: false }), this.#left]))) {
      if (this.#detached) return
      this.#log.warn('the trainer did not go after its end; it is killed')
    }
    await this.process.signal('SIGKILL')
    await this.#durably(() => this.options.repository.update(this.#job, { process: null }))
  }

  async #escalate(): Promise<void> {
    const { stopGraceSeconds } = this.options
    const within = (seconds: number) =>
      Promise.race([
        this.process.gone.then(() => true),
        this.#ended.then(() => true),
        this.#left.then(() => true),
        delay(seconds * 1000, false, { ref: false }),
      ])
    if (await within(stopGraceSeconds)) return
    this.#log.warn(`not stopped within ${stopGraceSeconds} s: SIGTERM`)
    await this.process.signal('SIGTERM')
    if (await within(Math.min(TERM_SECONDS, stopGraceSeconds))) return
    this.#log.warn('not stopped after SIGTERM: SIGKILL')
    this.#killed = true
    await this.process.signal('SIGKILL')
  }

  /** An end is never given up because the disk is full at this moment. */
  async #durably<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (this.#detached) throw error
        this.#log.error({ err: error }, 'the end of the job could not be stored; trying again')
        await Promise.race([delay(1000, undefined, { ref: false }), this.#left])
      }
    }
  }
}

function stoppedEvent(job: JobRecord, reason: string): TerminalEvent {
  return {
    type: 'completed',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    status: 'stopped',
    reason,
    epoch: job.epoch,
    metrics: {},
    best: job.best,
    best_checkpoint: null,
    duration_seconds: secondsSince(job.started_at),
  }
}

function lostEvent(job: JobRecord, how: string, silent: boolean, trace: string | null): TerminalEvent {
  return {
    type: 'error',
    timestamp: new Date().toISOString(),
    attempt: job.attempt,
    epoch: job.epoch,
    code: 'WORKER_LOST',
    message: silent
      ? `the process of the job ended before it took its order (${how})`
      : `the process of the job is gone and left no result (${how})`,
    details: silent ? 'Run medloom doctor.' : 'Resume the job from its last checkpoint.',
    trace,
  }
}

function secondsSince(timestamp: string | null): number {
  return timestamp === null ? 0 : Math.max(0, (Date.now() - Date.parse(timestamp)) / 1000)
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}
