import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { SlurmRefusal } from './run-command.js'

export interface SlurmSubmissionOptions {
  /** @throws SlurmUnreachable, SlurmRefusal */
  submit(): Promise<unknown>
  /** Whether Slurm has it; "unknown" while that is not certain. @param after a time of `performance.now()`: what was asked for before does not count */
  isThere(after: number): Promise<boolean | 'unknown'>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly retryMilliseconds: number
}

/** Submits until Slurm has the job, or refuses it. After an answer that was lost it is sent again only once Slurm is known not to have its name. */
export class SlurmSubmission {
  isPending = true
  /** Why Slurm will never have it. */
  refusal: string | null = null
  /** When it was known to be there, or given up: of `performance.now()`. */
  settledAt = Number.POSITIVE_INFINITY
  readonly #givenUp = new AbortController()

  constructor(readonly options: SlurmSubmissionOptions) {
    void this.#submit().finally(() => {
      this.isPending = false
      this.settledAt = performance.now()
    })
  }

  /** It is not wanted any more. What was sent before may still arrive. */
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
          this.refusal = `Slurm refused it: ${error.message}`
          return
        }
        log.warn({ err: error }, 'Slurm did not answer to a submission; its name is looked for')
      }
      if (await this.#hasArrived()) return
    }
  }

  async #hasArrived(): Promise<boolean> {
    const { signal } = this.#givenUp
    const { isThere, retryMilliseconds } = this.options
    const failed = performance.now()
    while (!signal.aborted) {
      await delay(retryMilliseconds, undefined, { ref: false, signal }).catch(() => undefined)
      const there = await isThere(failed).catch(() => 'unknown' as const)
      if (there !== 'unknown') return there
    }
    return false
  }
}
