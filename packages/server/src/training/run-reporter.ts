import type { FastifyBaseLogger } from 'fastify'
import { KeyedMutex } from '../concurrency/keyed-mutex.js'

export interface RunReporterOptions {
  readonly write: (jobId: string) => Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Writes the reports of runs in the background, one at a time: each needs a thread and up to a gibibyte, and many can be missing when a
 * service starts. A failed report does not fail its job.
 */
export class RunReporter {
  readonly #turns = new KeyedMutex()
  #closed = false

  constructor(readonly options: RunReporterOptions) {}

  async report(jobId: string): Promise<void> {
    const { write, log } = this.options
    try {
      await this.#turns.run('report', async () => {
        if (!this.#closed) await write(jobId)
      })
    } catch (error) {
      log.warn({ err: error, job_id: jobId }, 'the report of the run could not be written')
    }
  }

  /** Remaining reports are written by the next service. */
  close(): void {
    this.#closed = true
  }
}
