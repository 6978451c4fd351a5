import type { Stalled, Text } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { RateLimiter } from '../../concurrency/rate-limiter.js'
import { TRAINER_WATCH_MILLISECONDS } from '../../durations.js'
import type { RunningTrainer } from '../../ports/launcher.js'
import type { RunExchange } from '../../ports/run-exchange.js'
import { systemFault } from '../../system-fault.js'
import { isWaiting, type JobRecord } from '../job-record.js'
import { Stall, stalledByFault } from './stall.js'

export interface TrainerWatchOptions {
  readonly trainer: Pick<RunningTrainer, 'state' | 'waitsFor'>
  readonly exchange: Pick<RunExchange, 'heartbeat' | 'missing'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** The current state of the job. */
  readonly job: () => JobRecord
  /** Stores that training has stalled or continues. After a failure, it is reported again. */
  readonly onStalled: (stalled: Stalled | null) => Promise<void>
  /** Stores the reason why the trainer waits, as its launcher reports it. */
  readonly onWaiting: (reason: Text) => Promise<void>
  readonly lookMilliseconds?: number | undefined
}

/** Checks per second of all trainers together: with many trainers, each is checked less often. The checked conditions last minutes. */
const CHECKS = new RateLimiter(100)

/** Checks a trainer that may have stopped reporting. It never ends the trainer itself. */
export class TrainerWatch {
  /** Resolves once files that the trainer needs are gone. */
  readonly lost: Promise<void>
  #resolveLost: () => void = () => undefined
  /** The missing file at the last check. */
  #missing: string | null = null
  #closed = false
  readonly #end: () => void
  readonly #stall: Stall

  constructor(readonly options: TrainerWatchOptions) {
    this.lost = new Promise((done) => {
      this.#resolveLost = done
    })
    this.#stall = new Stall(options.job().stalled)
    const { lookMilliseconds = TRAINER_WATCH_MILLISECONDS } = options
    this.#end = CHECKS.repeat(lookMilliseconds, () => this.#look().catch((error) => this.#lookFailed(error)))
  }

  close(): void {
    this.#closed = true
    this.#end()
  }

  /** A fault of the machine is reported once: the job shows what to do until the next check succeeds. */
  async #lookFailed(error: unknown): Promise<void> {
    const { job, log, onStalled } = this.options
    const stalled = stalledByFault(error, job().stalled)
    if (stalled || !systemFault(error)) log.warn({ err: error }, 'the trainer could not be checked')
    if (stalled && !this.#closed) await onStalled(stalled).catch(() => undefined)
  }

  async #look(): Promise<void> {
    const { trainer, exchange, job, onStalled, onWaiting } = this.options
    const { attempt, events_offset } = job()
    const state = await trainer.state()
    if (state === 'gone' || this.#closed) return
    if (state === 'pending') {
      const reason = trainer.waitsFor?.() ?? null
      return reason !== null && isWaiting(job()) && reason.english !== job().reason
        ? onWaiting(reason)
        : undefined
    }
    const missing = await exchange.missing(attempt, events_offset)
    // Twice in succession: a folder that is renamed and renamed back, or remounted, is missing for a moment.
    if (missing !== null && missing.english === this.#missing) return this.#resolveLost()
    this.#missing = missing?.english ?? null
    const stalled = this.#stall.see({
      state,
      heartbeat: await exchange.heartbeat(attempt),
      eventsRead: job().events_offset,
      seconds: performance.now() / 1000,
      time: new Date().toISOString(),
    })
    const before = job().stalled
    if (!this.#closed && stalled?.remedy !== before?.remedy) await onStalled(stalled)
  }
}
