import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { RayRefusal } from './ray-http.js'
import type { RayJobs, RaySubmission } from './ray-jobs.js'
import type { Arrival } from './ray-trainer.js'

const FIRST_RETRY_MILLISECONDS = 500
const MAX_RETRY_MILLISECONDS = 10_000

/**
 * Submits until Ray accepts or refuses the submission. After a lost answer, Ray is queried for the submission before it is sent again; the
 * id ensures that it exists only once.
 */
export class Submitting implements Arrival {
  isPending = true
  refusal: string | null = null
  /** Resolves once it is not retried any more. */
  readonly done: Promise<void>
  readonly #givenUp = new AbortController()

  constructor(
    readonly submission: RaySubmission,
    readonly jobs: Pick<RayJobs, 'submit' | 'details'>,
    readonly log: Pick<FastifyBaseLogger, 'warn'>,
    readonly retryMilliseconds = FIRST_RETRY_MILLISECONDS,
  ) {
    this.done = this.#submit().finally(() => {
      this.isPending = false
    })
  }

  /** A request that was already sent may still arrive. */
  giveUp(): void {
    this.#givenUp.abort()
  }

  async #submit(): Promise<void> {
    const { signal } = this.#givenUp
    const { submission, jobs, log } = this
    let wait = this.retryMilliseconds
    for (let known = false; !known && !signal.aborted; ) {
      try {
        return await jobs.submit(submission)
      } catch (error) {
        if (error instanceof RayRefusal) {
          this.refusal = `Ray refused it: ${error.message}`
          return
        }
        log.warn(
          { err: error, submission_id: submission.submission_id },
          'Ray did not answer to a submission',
        )
      }
      known = await jobs.details(submission.submission_id).then(Boolean, () => false)
      if (!known) await delay(wait, undefined, { ref: false, signal }).catch(() => undefined)
      wait = Math.min(2 * wait, MAX_RETRY_MILLISECONDS)
    }
  }
}
