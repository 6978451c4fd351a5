import { phrase, type Text, textOf } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { within } from '../../concurrency/within.js'
import { TRAINER_KILL_RETRY_SECONDS, TRAINER_TERM_SECONDS } from '../../durations.js'
import type { RunningTrainer } from '../../ports/launcher.js'

export interface TrainerTerminationOptions {
  readonly trainer: RunningTrainer
  /** Rejects when another process has become the controller and owns the trainer. */
  readonly confirm: () => Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly stopGraceSeconds: number
  /** Resolves when the service detaches from the attempt; nothing more is requested then. */
  readonly detached: Promise<void>
  /** Called when the trainer is to stop before it has started, and its launcher cannot cancel it: it ends as soon as it starts. */
  readonly onCannotBeTakenBack?: () => Promise<void>
}

/** Ends a trainer: first by request, finally by a kill of its launcher. */
export class TrainerTermination {
  /** True if it had to be killed while it trained. */
  wasKilled = false
  #hasLeft = false

  constructor(readonly options: TrainerTerminationOptions) {
    void options.detached.then(() => {
      this.#hasLeft = true
    })
  }

  /** Stop the trainer by its launcher, for example when the request could not be written. */
  async signalStop(): Promise<void> {
    await this.#deliver(() => this.options.trainer.stop())
  }

  /**
   * The trainer was requested to stop: once the grace period is over, its launcher stops it, then kills it.
   * @param ended resolves when its job has ended.
   */
  async enforceStop(ended: Promise<void>): Promise<void> {
    const { trainer, log, stopGraceSeconds } = this.options
    const over = [trainer.gone, ended]
    const patience = Math.min(TRAINER_TERM_SECONDS, stopGraceSeconds)
    // A trainer that has not started has nothing to save.
    if ((await trainer.state()) === 'pending') {
      await this.#deliver(() => trainer.kill())
      if (await this.#isWithin(patience, ...over)) return
      if ((await trainer.state()) === 'pending') await this.options.onCannotBeTakenBack?.()
    } else {
      if (await this.#isWithin(stopGraceSeconds, ...over)) return
      log.warn(`the job did not stop within ${stopGraceSeconds} s; the launcher stops it`)
      await this.signalStop()
      if (await this.#isWithin(patience, ...over)) return
      log.warn('the job still did not stop and is killed')
      this.wasKilled = true
    }
    do await this.#deliver(() => trainer.kill())
    while (!(await this.#isWithin(TRAINER_TERM_SECONDS, ...over)))
  }

  /** It cannot store anything any more: time for a checkpoint would be wasted. */
  async killNow(): Promise<Text> {
    await this.#deliver(() => this.options.trainer.kill())
    await this.#isWithin(TRAINER_TERM_SECONDS, this.options.trainer.gone)
    return textOf(phrase('killed'))
  }

  /**
   * A trainer has nothing to do after the end of its job: its remaining processes are ended, so that its slot becomes free.
   * @returns false when the service has detached before the trainer was gone.
   */
  async clear(): Promise<boolean> {
    const { trainer, log, stopGraceSeconds } = this.options
    if (!(await this.#isWithin(stopGraceSeconds, trainer.gone)))
      log.warn('the trainer did not exit after the training and is killed')
    while (!this.#hasLeft) {
      const delivered = await this.#deliver(() => trainer.kill())
      if (delivered && (await this.#isWithin(TRAINER_TERM_SECONDS, trainer.gone))) break
      await this.#isWithin(TRAINER_KILL_RETRY_SECONDS)
    }
    return !this.#hasLeft
  }

  /** True as soon as one of `events` has happened, or the service detaches from the attempt. */
  async #isWithin(seconds: number, ...events: Promise<unknown>[]): Promise<boolean> {
    const first = Promise.race([...events, this.options.detached]).then(() => true)
    return (await within(seconds * 1000, first)) ?? false
  }

  /** False when the launcher could not be reached. */
  async #deliver(request: () => Promise<void>): Promise<boolean> {
    try {
      await this.options.confirm()
      await request()
      return true
    } catch (error) {
      this.options.log.warn({ err: error }, 'a request could not be delivered to the trainer')
      return false
    }
  }
}
