import { backoff, phrase, type Text, textOf } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { poll } from '../../concurrency/poll.js'
import { RAY_FIRST_RETRY_MILLISECONDS, RAY_LONGEST_RETRY_MILLISECONDS } from '../../durations.js'
import { RayRefusal } from './ray-http.js'
import type { RayJobs, RaySubmission } from './ray-jobs.js'
import type { Arrival } from './ray-trainer.js'

/**
 * Submits until Ray accepts or refuses the submission. After a lost answer, Ray is queried for the submission before it is sent again; the
 * id ensures that it exists only once.
 */
export class Submitting implements Arrival {
  isPending = true
  refusal: Text | null = null
  /** Resolves once it is not retried any more. */
  readonly done: Promise<void>
  readonly #givenUp = new AbortController()

  constructor(
    readonly submission: RaySubmission,
    readonly jobs: Pick<RayJobs, 'submit' | 'details'>,
    readonly log: Pick<FastifyBaseLogger, 'warn'>,
    readonly retryMilliseconds = RAY_FIRST_RETRY_MILLISECONDS,
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
    const { submission_id } = submission
    const attempt = async (): Promise<true | undefined> => {
      try {
        await jobs.submit(submission)
        return true
      } catch (error) {
        if (error instanceof RayRefusal) {
          this.refusal = textOf(phrase('ray_rejects', { reason: error.message }))
          return true
        }
        log.warn({ err: error, submission_id }, 'Ray did not respond to a submission')
      }
      return jobs.details(submission_id).then(
        (known) => (known ? true : undefined),
        () => undefined,
      )
    }
    await poll(attempt, { delay: backoff(this.retryMilliseconds, RAY_LONGEST_RETRY_MILLISECONDS), signal })
  }
}
