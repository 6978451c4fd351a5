import { phrase, type Text, textOf } from '@medloom/contracts'
import { z } from 'zod'
import { shareInFlight } from '../../concurrency/share-in-flight.js'
import { RAY_ARRIVAL_MILLISECONDS, RAY_POLL_MILLISECONDS } from '../../durations.js'
import type { RunningTrainer, TrainerState } from '../../ports/launcher.js'
import type { TerminalEvent } from '../../ports/terminal-event.js'
import { polledTrainer, type TrainerProbe } from '../polled-trainer.js'
import { lastLine, type RayJob, type RayJobs } from './ray-jobs.js'

/** The handle of a trainer that is a job of Ray. */
export const RayHandle = z.object({
  launcher: z.literal('ray'),
  submission_id: z.string(),
  /** Session of the head to which it was submitted. */
  session: z.string(),
})
export type RayHandle = z.infer<typeof RayHandle>

export interface RayTrainerOptions {
  readonly jobs: Pick<RayJobs, 'details' | 'version' | 'stop'>
  readonly pollMilliseconds?: number | undefined
  /** Time during which a submission that Ray does not know may still arrive. */
  readonly arrivalMilliseconds?: number | undefined
}

/** State of a submission that is known to this service but not to Ray. */
export interface Arrival {
  /** True while it is being submitted. */
  readonly isPending: boolean
  /** Reason why it will never arrive; null: it has arrived or may arrive. */
  readonly refusal: Text | null
  /** The submission is not wanted any more. */
  giveUp(): void
}

const STATES = {
  PENDING: 'pending',
  RUNNING: 'running',
  STOPPED: 'gone',
  SUCCEEDED: 'gone',
  FAILED: 'gone',
} as const satisfies Record<RayJob['status'], TrainerState>

/** Ray gives up a job that waited for room too long; it never started. */
const NO_ROOM = 'JOB_SUPERVISOR_ACTOR_START_TIMEOUT'
/** The Ray process that supervises the trainer ended, and the trainer with it: with its node, or for lack of memory. */
const SUPERVISOR_DIED = 'JOB_SUPERVISOR_ACTOR_DIED'

/** A trainer that is a job of Ray. @param arrival of a submission by this service; an earlier service may have died while it submitted. */
export function rayTrainer(handle: RayHandle, options: RayTrainerOptions, arrival?: Arrival): RunningTrainer {
  return polledTrainer(
    new RayProbe(handle, options, arrival),
    options.pollMilliseconds ?? RAY_POLL_MILLISECONDS,
  )
}

class RayProbe implements TrainerProbe {
  #job: RayJob | null = null
  /** Reason why it is gone although Ray has not reported it. */
  #lost: Text | null = null
  #headRestarted = false
  #absentSince: number | null = null

  constructor(
    readonly handle: RayHandle,
    readonly options: RayTrainerOptions,
    readonly arrival: Arrival | undefined,
  ) {}

  /** Concurrent calls share one query. */
  readonly look = shareInFlight(() => this.#look())

  ending(): Text {
    if (this.#lost) return this.#lost
    if (!this.#job) return textOf(phrase('ray_no_outcome'))
    const { status, message, driver_exit_code: code } = this.#job
    return textOf([
      phrase('ray_ended', { status }),
      ...(typeof code === 'number' ? [phrase('exit_code', { code: String(code) })] : []),
      ...(message ? [phrase('ray_reports', { message: lastLine(message) })] : []),
    ])
  }

  waitsFor(): Text | null {
    if (this.#job?.status === 'PENDING')
      return textOf(phrase('ray_queued', { message: lastLine(this.#job.message ?? '') }))
    return this.arrival?.isPending ? textOf(phrase('ray_response_pending')) : null
  }

  hadNoRoom(): boolean {
    return this.#job?.error_type === NO_ROOM
  }

  /**
   * The loss of its node, of the head, or of a process of a group; it may then have saved and reported a stop. The trainer reports its own
   * errors itself.
   */
  interruption(reported: TerminalEvent | null): Text | null {
    if (reported?.type === 'error') return reported.code === 'WORKER_LOST' ? messageOf(reported) : null
    if (this.#headRestarted) return this.ending()
    const { error_type, message } = this.#job ?? {}
    return error_type === SUPERVISOR_DIED && !/out of memory|OOM/i.test(message ?? '') ? this.ending() : null
  }

  stop(): Promise<void> {
    return this.options.jobs.stop(this.handle.submission_id)
  }

  /** A waiting job cannot be ended: it ends once it starts. */
  async kill(): Promise<void> {
    this.arrival?.giveUp()
    await this.stop()
  }

  async #look(): Promise<TrainerState> {
    const found = await this.options.jobs.details(this.handle.submission_id)
    if (!found) return this.#absent()
    this.#absentSince = null
    this.#job = found
    return STATES[found.status]
  }

  async #absent(): Promise<TrainerState> {
    const { jobs, arrivalMilliseconds = RAY_ARRIVAL_MILLISECONDS } = this.options
    if (this.arrival?.refusal) return this.#lose(this.arrival.refusal)
    if (this.arrival?.isPending) return 'pending'
    const { session_name } = await jobs.version()
    if (session_name !== this.handle.session) {
      this.#headRestarted = true
      return this.#lose(textOf(phrase('ray_head_restarted')))
    }
    this.#absentSince ??= performance.now()
    if (performance.now() - this.#absentSince < arrivalMilliseconds) return 'unknown'
    return this.#lose(textOf(phrase('ray_no_record')))
  }

  #lose(why: Text): TrainerState {
    this.#lost = why
    return 'gone'
  }
}

function messageOf({ message, message_phrases: phrases }: Extract<TerminalEvent, { type: 'error' }>): Text {
  return { english: message, phrases }
}
