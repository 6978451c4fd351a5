import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { SlurmRefusal } from './run-command.js'

export interface SlurmSubmissionOptions {
  /** @throws SlurmUnreachable, SlurmRefusal */
  submit(): Promise<unknown>
  /** Whether Slurm has it, asked anew. */
  isThere(): Promise<boolean>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly retryMilliseconds: number
}

/** Submits until Slurm has the job, or refuses it. After an answer that was lost Slurm is asked for the name of the job before it is sent again. */
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
    const { submit, isThere, log, retryMilliseconds } = this.options
    for (let there = false; !there && !signal.aborted; ) {
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
      there = await isThere().catch(() => false)
      if (!there) await delay(retryMilliseconds, undefined, { ref: false, signal }).catch(() => undefined)
    }
  }
}
