import { phrase, type Text, textOf } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { poll } from '../../concurrency/poll.js'
import { sleep } from '../../concurrency/sleep.js'
import { SlurmRefusal } from './run-command.js'

export interface SlurmSubmissionOptions {
  /** @throws SlurmUnreachable, SlurmRefusal */
  submit(): Promise<unknown>
  /**
   * Returns true if Slurm has it; "unknown" while that is not certain. @param after a time of `performance.now()`: earlier queries do not
   * count
   */
  isThere(after: number): Promise<boolean | 'unknown'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly retryMilliseconds: number
}

/**
 * Submits until Slurm accepts or refuses the job. After a lost answer, it is sent again only once it is certain that Slurm does not have
 * its name.
 */
export class SlurmSubmission {
  isPending = true
  /** Reason why Slurm will never have it. */
  refusal: Text | null = null
  /** Time of `performance.now()` at which it was known to exist, or was given up. */
  settledAt = Number.POSITIVE_INFINITY
  readonly #givenUp = new AbortController()

  constructor(readonly options: SlurmSubmissionOptions) {
    void this.#submit().finally(() => {
      this.isPending = false
      this.settledAt = performance.now()
    })
  }

  /** The submission is not wanted any more. A request that was already sent may still arrive. */
  giveUp(): void {
    this.#givenUp.abort()
  }

  async #submit(): Promise<void> {
    const { signal } = this.#givenUp
    const { submit, log } = this.options
    while (!signal.aborted) {
      try {
        await submit()
        return
      } catch (error) {
        if (error instanceof SlurmRefusal) {
          this.refusal = textOf(phrase('slurm_rejects', { reason: error.message }))
          return
        }
        log.warn({ err: error }, 'Slurm did not respond to a submission; searching for the job by its name')
      }
      if (await this.#hasArrived()) return
    }
  }

  async #hasArrived(): Promise<boolean> {
    const { signal } = this.#givenUp
    const { isThere, retryMilliseconds } = this.options
    const failed = performance.now()
    await sleep(retryMilliseconds, { signal })
    const look = async () => {
      const there = await isThere(failed).catch(() => 'unknown' as const)
      return there === 'unknown' ? undefined : there
    }
    return (await poll(look, { delay: () => retryMilliseconds, signal })) ?? false
  }
}
