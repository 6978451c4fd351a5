import type { FastifyBaseLogger } from 'fastify'
import { KeyedMutex } from '../concurrency/keyed-mutex.js'

export interface RunReporterOptions {
  readonly write: (jobId: string) => Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Writes the reports of runs in the background, one at a time: each takes a thread and up to a gibibyte, and a service that starts may
 * owe many. A report that fails fails no job.
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

  /** What still waits is written by the next service. */
  close(): void {
    this.#closed = true
  }
}
