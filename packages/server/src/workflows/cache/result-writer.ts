import { FairQueue } from '@medloom/workflow'
import { sleep } from '../../concurrency/sleep.js'
import { RESULT_COMMIT_MILLISECONDS } from '../../durations.js'
import type { CacheRepository, NewResult } from './cache.repository.js'

const RESULTS_PER_COMMIT = 100

interface Waiting {
  readonly result: NewResult
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes results to the database. Results that arrive within some milliseconds share one commit: the nodes that use them do not wait for it.
 * Workflows take turns, so that one with thousands of nodes does not block another.
 */
export class ResultWriter {
  readonly #waiting = new FairQueue<Waiting>()
  #writing = false

  constructor(private readonly repository: Pick<CacheRepository, 'replace'>) {}

  /** Resolves when the result is stored. */
  write(result: NewResult): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(result.origin.workflow, { result, resolve, reject })
      if (!this.#writing) void this.#writeAll()
    })
  }

  /** The service responds to requests between two batches, because each waits for the database. */
  async #writeAll(): Promise<void> {
    this.#writing = true
    for (let isFull = false; ; ) {
      if (!isFull) await sleep(RESULT_COMMIT_MILLISECONDS, { keepsAlive: true })
      const batch = this.#take()
      if (batch.length === 0) break
      isFull = batch.length === RESULTS_PER_COMMIT
      await this.#writeTogether(batch)
    }
    this.#writing = false
  }

  async #writeTogether(batch: readonly Waiting[]): Promise<void> {
    // If two runs computed results under one key, the later one is written.
    const results = new Map(batch.map(({ result }) => [result.key, result]))
    await this.repository.replace([...results.values()]).then(
      () => {
        for (const { resolve } of batch) resolve()
      },
      (error) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }

  #take(): Waiting[] {
    const batch: Waiting[] = []
    while (batch.length < RESULTS_PER_COMMIT) {
      const next = this.#waiting.take()
      if (!next) break
      batch.push(next)
    }
    return batch
  }
}
