import { z } from 'zod'
import type { TerminalEvent } from '../exchange/terminal-event.js'
import type { RunningTrainer, TrainerState } from '../launcher.js'
import { polledTrainer, type TrainerProbe } from '../polled-trainer.js'
import { lastLine, type RayJob, type RayJobs } from './ray-jobs.js'

/** The handle of a trainer that is a job of Ray. */
export const RayHandle = z.object({
  launcher: z.literal('ray'),
  submission_id: z.string(),
  /** Of the head that it was submitted to. */
  session: z.string(),
})
export type RayHandle = z.infer<typeof RayHandle>

export interface RayTrainerOptions {
  readonly jobs: Pick<RayJobs, 'details' | 'version' | 'stop'>
  readonly pollMilliseconds?: number | undefined
  /** For how long a submission that Ray does not know may still be on its way there. */
  readonly arrivalMilliseconds?: number | undefined
}

/** What this service knows of a submission beside Ray. */
export interface Arrival {
  /** Whether it is still being submitted. */
  readonly isPending: boolean
  /** Why it will never be there; null: it is, or may be. */
  readonly refusal: string | null
  /** It is not wanted any more. */
  giveUp(): void
}

const POLL_MILLISECONDS = 1000
const ARRIVAL_MILLISECONDS = 15_000
const STATES = {
  PENDING: 'pending',
  RUNNING: 'running',
  STOPPED: 'gone',
  SUCCEEDED: 'gone',
  FAILED: 'gone',
} as const satisfies Record<RayJob['status'], TrainerState>

/** Ray gives up a job that had to wait for room too long; it never began. */
const NO_ROOM = 'JOB_SUPERVISOR_ACTOR_START_TIMEOUT'
/** The process of Ray beside the trainer ended, which ends the trainer: with its node, or for want of memory. */
const SUPERVISOR_DIED = 'JOB_SUPERVISOR_ACTOR_DIED'

/** A trainer that is a job of Ray. @param arrival of one that this service submits; an earlier service may have died while it did. */
export function rayTrainer(handle: RayHandle, options: RayTrainerOptions, arrival?: Arrival): RunningTrainer {
  return polledTrainer(new RayProbe(handle, options, arrival), options.pollMilliseconds ?? POLL_MILLISECONDS)
}

class RayProbe implements TrainerProbe {
  #job: RayJob | null = null
  /** Why it is gone although Ray has not said so. */
  #lost: string | null = null
  #headRestarted = false
  #absentSince: number | null = null
  #looking: Promise<TrainerState> | undefined

  constructor(
    readonly handle: RayHandle,
    readonly options: RayTrainerOptions,
    readonly arrival: Arrival | undefined,
  ) {}

  /** Looks at the same time are one. */
  look(): Promise<TrainerState> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  ending(): string {
    if (this.#lost) return this.#lost
    if (!this.#job) return 'its end is not known'
    const { status, message, driver_exit_code: code } = this.#job
    const exit = typeof code === 'number' ? `, exit code ${code}` : ''
    return `Ray: ${status}${exit}${message ? `, ${lastLine(message)}` : ''}`
  }

  waitsFor(): string | null {
    if (this.#job?.status === 'PENDING') return `Ray keeps it waiting: ${lastLine(this.#job.message ?? '')}`
    return this.arrival?.isPending ? 'Ray has not confirmed the submission yet.' : null
  }

  hadNoRoom(): boolean {
    return this.#job?.error_type === NO_ROOM
  }

  /** With its node, with the head, or as a process of a group that was killed; it may have saved and reported a stop then. What the trainer itself does wrong it reports. */
  interruption(reported: TerminalEvent | null): string | null {
    if (reported?.type === 'error') return reported.code === 'WORKER_LOST' ? reported.message : null
    if (this.#headRestarted) return this.ending()
    const { error_type, message } = this.#job ?? {}
    return error_type === SUPERVISOR_DIED && !/out of memory|OOM/i.test(message ?? '') ? this.ending() : null
  }

  stop(): Promise<void> {
    return this.options.jobs.stop(this.handle.submission_id)
  }

  /** One that waits cannot be ended: it ends once it begins. */
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
    const { jobs, arrivalMilliseconds = ARRIVAL_MILLISECONDS } = this.options
    if (this.arrival?.refusal) return this.#lose(this.arrival.refusal)
    if (this.arrival?.isPending) return 'pending'
    const { session_name } = await jobs.version()
    if (session_name !== this.handle.session) {
      this.#headRestarted = true
      return this.#lose('the head of the Ray cluster was started again, and its jobs ended with it')
    }
    this.#absentSince ??= performance.now()
    if (performance.now() - this.#absentSince < arrivalMilliseconds) return 'unknown'
    return this.#lose('Ray does not know the submission')
  }

  #lose(why: string): TrainerState {
    this.#lost = why
    return 'gone'
  }
}
