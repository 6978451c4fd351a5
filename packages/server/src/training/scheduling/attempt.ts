import {
  fieldsOf,
  isTerminal,
  phrase,
  type Stalled,
  type Text,
  type TrainerEvent,
  textOf,
} from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { retry } from '../../concurrency/retry.js'
import { TimeSlicer } from '../../concurrency/time-slicer.js'
import { STORE_END_RETRY_MILLISECONDS } from '../../durations.js'
import type { RunningTrainer } from '../../ports/launcher.js'
import type { ControlRequest, RunExchange, TerminalEvent } from '../../ports/run-exchange.js'
import type { EventIngest } from '../events/event-ingest.js'
import { traceOf } from '../events/trace.js'
import { isWaiting, type JobRecord, started } from '../job-record.js'
import { ResourceWatch } from '../resources/resource-ingest.js'
import type { ResourceLevelsRepository } from '../resources/resource-levels.repository.js'
import type { TrainingRepository } from '../training.repository.js'
import { faultEvent, lostEvent, missingEvent, stoppedEvent } from './attempt-end.js'
import { interrupted, mayBeInterruption, mayRetry, withoutProgressEvent } from './interruption.js'
import { stalledByFault } from './stall.js'
import { TrainerTermination } from './trainer-termination.js'
import { TrainerWatch } from './trainer-watch.js'

export interface AttemptOptions {
  readonly repository: TrainingRepository
  readonly ingest: EventIngest
  readonly resources: ResourceLevelsRepository
  readonly exchange: RunExchange
  /** Rejects when another process has become the controller. */
  readonly confirm: () => Promise<void>
  readonly log: FastifyBaseLogger
  /** Time from the request to stop until the trainer is forced to stop. */
  readonly stopGraceSeconds: number
  /** Interval between checks of the trainer; for tests. */
  readonly lookMilliseconds?: number | undefined
  /** Called when the end cannot be stored; it is tried again. */
  readonly onFault: (error: unknown) => void
  /** Called once, as soon as the end is durable and published. */
  readonly onEnded: (job: JobRecord) => void
}

/** Events of all jobs are read and processed one after the other. */
const EVENT_SLICER = new TimeSlicer()
const TRACE_BYTES = 64 * 1024

/** One start of a job's trainer, from its submission until it is gone. */
export class Attempt {
  readonly #log: FastifyBaseLogger
  #job: JobRecord
  readonly #ending: TrainerTermination
  #stopping: Promise<void> | undefined
  #clearing: Promise<boolean> | undefined
  #requesting: Promise<void> = Promise.resolve()
  readonly #detachment = new AbortController()
  /** Resolves when the service has detached from the attempt. */
  readonly #detached = new Promise<void>((done) => {
    this.#detachment.signal.addEventListener('abort', () => done(), { once: true })
  })
  #resolveEnded: () => void = () => undefined
  readonly #ended = new Promise<void>((done) => {
    this.#resolveEnded = done
  })

  constructor(
    job: JobRecord,
    readonly trainer: RunningTrainer,
    readonly options: AttemptOptions,
  ) {
    this.#job = job
    this.#log = options.log.child({ job_id: job.job_id, attempt: job.attempt })
    const { stopGraceSeconds, confirm } = options
    this.#ending = new TrainerTermination({
      ...{ trainer, confirm, log: this.#log, stopGraceSeconds, detached: this.#detached },
      onCannotBeTakenBack: () => this.#endBeforeItBegins(),
    })
  }

  /** "ended": the job has a terminal status and its trainer is gone. "again": another attempt follows. */
  async follow(): Promise<'ended' | 'again' | 'detached'> {
    if (!isTerminal(this.#job.status) && !(await this.#followToEnd()))
      return this.#isDetached ? 'detached' : 'again'
    if (!(await this.#ending.clear())) return 'detached'
    await this.#durably(() => this.options.exchange.end(this.#job.attempt))
    await this.#durably(() => this.options.repository.update(this.#job, { handle: null }))
    return 'ended'
  }

  /** False when the service has detached from the attempt, or when it may be started again. */
  async #followToEnd(): Promise<boolean> {
    const { exchange, log, lookMilliseconds } = this.options
    const events = exchange.watchEvents(this.#job.attempt, () => this.#look())
    const onStalled = (stalled: Stalled | null) => this.#noticeStall(stalled)
    const job = () => this.#job
    const onWaiting = (reason: Text) => this.#noticeWaiting(reason)
    const { trainer } = this
    const watch = new TrainerWatch({ trainer, exchange, log, job, onStalled, onWaiting, lookMilliseconds })
    const resources = this.#watchResources()
    void this.#awaitBeginning()
    const lost = watch.lost.then(() => this.#ending.killNow())
    const how = await Promise.race([this.trainer.gone, this.#ended, this.#detached, lost])
    watch.close()
    if (this.#isDetached) resources.detach()
    await events.close()
    if (this.#isDetached) return false
    await resources.close()
    if (isTerminal(this.#job.status)) return true
    await this.#durably(() => this.#drain())
    return isTerminal(this.#job.status) || (await this.#conclude(how ?? { english: '' }))
  }

  #watchResources(): ResourceWatch {
    const { exchange, resources: levels, lookMilliseconds } = this.options
    const { job_id: jobId, attempt } = this.#job
    return new ResourceWatch({ jobId, attempt, exchange, levels, log: this.#log, lookMilliseconds })
  }

  /** The request is already durable. Requests reach the trainer in order; a stop is enforced when the grace period is over. */
  async sendRequest(request: ControlRequest): Promise<void> {
    this.#requesting = this.#requesting.then(() => this.#put(request))
    await this.#requesting
    if (request === 'stop') this.#stopping ??= this.#ending.enforceStop(this.#ended)
  }

  async #put(request: ControlRequest): Promise<void> {
    try {
      await this.options.exchange.sendRequest(this.#job.attempt, request)
    } catch (error) {
      this.#log.warn({ err: error }, 'the request could not be written; sending a signal to the trainer')
      if (request === 'stop') await this.#ending.signalStop()
    }
  }

  /** The service ends; the training continues. */
  detach(): void {
    this.trainer.release()
    this.#detachment.abort()
  }

  /** A job that waits in its launcher has not started; it is running once the launcher reports that, or with its first event. */
  async #awaitBeginning(): Promise<void> {
    if (!isWaiting(this.#job)) return
    await Promise.race([this.trainer.begun, this.#ended, this.#detached])
    if (this.#isDetached || (await this.trainer.state()) === 'gone') return
    await this.#durably(async () => {
      if (!isWaiting(this.#job)) return
      const changes = started(this.#job)
      const changed = await this.options.repository.update(this.#job, changes)
      if (changed && isWaiting(this.#job)) this.#job = { ...this.#job, ...changes }
    }).catch(() => undefined)
  }

  async #look(): Promise<void> {
    try {
      await this.#drain()
    } catch (error) {
      this.#log.error({ err: error }, 'events could not be stored; reading them again')
    }
  }

  async #drain(): Promise<void> {
    while (!isTerminal(this.#job.status)) {
      const { attempt, events_offset } = this.#job
      const chunk = await this.options.exchange.events(attempt, events_offset)
      if (chunk) await EVENT_SLICER.next()
      const job = chunk && (await this.options.ingest.take(this.#job, chunk, this.#waitsForItsLauncher))
      if (!job) return
      this.#became(job)
      if (!chunk.more) return
    }
  }

  /** An end that its launcher may have caused counts only once the trainer is gone and the launcher has confirmed the cause. */
  readonly #waitsForItsLauncher = (event: TrainerEvent, job: JobRecord): boolean => {
    if (this.trainer.interruption === undefined || !mayBeInterruption(event, job)) return false
    this.#clearing ??= this.#ending.clear()
    return true
  }

  async #noticeStall(stalled: Stalled | null): Promise<void> {
    const { attempt } = this.#job
    this.#log.warn({ stalled }, stalled ? 'training has stalled' : 'training has resumed')
    const event = { type: 'stalled' as const, timestamp: new Date().toISOString(), attempt, stalled }
    const job = await this.options.ingest.notice(this.#job, event)
    if (job) this.#became(job)
  }

  /** Its end is not known, or not stored, because of a fault of the machine: until the fault is repaired, the job shows what to do. */
  async #noticeFault(error: unknown): Promise<void> {
    const stalled = stalledByFault(error, this.#job.stalled)
    if (stalled && !isTerminal(this.#job.status)) await this.#noticeStall(stalled)
  }

  async #noticeWaiting(reason: Text): Promise<void> {
    const { repository } = this.options
    const changes = fieldsOf('reason', reason)
    if (!(await repository.update(this.#job, changes))) return
    // It may have started meanwhile.
    const now = isWaiting(this.#job) ? changes : { reason: null, reason_phrases: undefined }
    if (now.reason === null) await repository.update(this.#job, now)
    this.#job = { ...this.#job, ...now }
  }

  /** Its trainer occupies its slot until it is gone. */
  async #endBeforeItBegins(): Promise<void> {
    await this.#durably(async () => {
      const ended = await this.options.ingest.end(
        this.#job,
        stoppedEvent(this.#job, this.#reasonOfStop(this.#job)),
      )
      if (ended) this.#became(ended)
    }).catch(() => undefined)
  }

  #became(job: JobRecord): void {
    if (isTerminal(this.#job.status)) return
    this.#job = job
    if (!isTerminal(job.status)) return
    this.options.onEnded(job)
    this.#resolveEnded()
  }

  /**
   * The trainer is gone and its events do not contain a valid end. The result file may; without it the job was interrupted or is lost.
   * Silence never counts as success.
   * @returns false when another attempt follows.
   */
  async #conclude(how: Text): Promise<boolean> {
    const { exchange, repository, ingest } = this.options
    const { job_id, attempt } = this.#job
    // The trainer is gone without reporting an end, for example because it was killed: its reserve file frees the space in which the end is
    // stored.
    await exchange
      .freeReserve(attempt)
      .catch((error) => this.#log.warn({ err: error }, 'the reserved disk space could not be released'))
    return this.#durably(async () => {
      const result = await exchange.result(attempt)
      // While its folder was unavailable, none of its events could be read.
      await this.#drain()
      if (isTerminal(this.#job.status)) return true
      const job = (await repository.find(job_id)) ?? this.#job
      const end = await this.#endOf(job, how, result)
      if (end === null) return false
      const ended = await ingest.end(this.#job, end)
      if (ended) this.#became(ended)
      return true
    })
  }

  /** @returns null when another attempt follows. */
  async #endOf(job: JobRecord, how: Text, result: TerminalEvent | null): Promise<TerminalEvent | null> {
    const { exchange } = this.options
    const { attempt, events_offset, request } = job
    if (result && !mayBeInterruption(result, job)) return result
    const missing = result ? null : await exchange.missing(attempt, events_offset)
    if (missing) return missingEvent(job, missing)
    if (request === 'stop') return result ?? stoppedEvent(job, this.#reasonOfStop(job))
    const silent = events_offset === 0 && !(await exchange.hasEvents(attempt))
    if (silent && this.trainer.hadNoRoom?.()) return null
    const why = this.trainer.interruption?.(result) ?? null
    if (why !== null) return this.#interrupt(job, why)
    if (result) return result
    const cancellation = this.trainer.cancellation?.() ?? null
    if (cancellation !== null) return stoppedEvent(job, cancellation)
    const fault = await exchange.fault()
    if (fault) return faultEvent(job, fault)
    if (silent && (await mayRetry(exchange, job))) return null
    return lostEvent(job, { how, silent, trace: traceOf(await exchange.logEnd(TRACE_BYTES)) })
  }

  async #interrupt(job: JobRecord, why: Text): Promise<TerminalEvent | null> {
    if (!(await mayRetry(this.options.exchange, job))) return withoutProgressEvent(job, why)
    this.#log.warn(
      { why: why.english },
      'the attempt was interrupted; a new attempt continues from the last checkpoint',
    )
    await this.options.repository.update(job, interrupted(job, why))
    return null
  }

  #reasonOfStop({ status, phase }: JobRecord): Text {
    if (status === 'started') return textOf(phrase('stopped_before_start'))
    if (phase === 'queued') return textOf(phrase('stopped_while_waiting'))
    return textOf(
      this.#ending.wasKilled
        ? phrase('stopped_by_force', { seconds: this.options.stopGraceSeconds })
        : phrase('stopped_without_report'),
    )
  }

  /** Retries until it succeeds: the end of a job is not lost because the disk is full at the moment. */
  #durably<Result>(work: () => Promise<Result>): Promise<Result> {
    return retry(work, {
      delay: () => STORE_END_RETRY_MILLISECONDS,
      signal: this.#detachment.signal,
      onFailure: async (error) => {
        if (this.#isDetached) return
        this.#log.error({ err: error }, 'the end of the job could not be stored; trying again')
        this.options.onFault(error)
        await this.#noticeFault(error).catch(() => undefined)
      },
    })
  }

  get #isDetached(): boolean {
    return this.#detachment.signal.aborted
  }
}
