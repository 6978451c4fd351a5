import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { RateLimiter } from '../../concurrency/rate-limiter.js'
import { repeatEvery } from '../../concurrency/repeat-every.js'
import { shareInFlight } from '../../concurrency/share-in-flight.js'
import { sleep } from '../../concurrency/sleep.js'
import type { EventWatch } from '../../ports/run-exchange.js'

/**
 * Reads per second of all tails together. A thousand trainings are read once a second each, and each read finds everything that has arrived
 * since.
 */
const READS = new RateLimiter(1000)
const SHORTEST_REST_MILLISECONDS = 10

/**
 * Calls `look` when the file may have grown: on a change notification of the system, and every `pollMilliseconds`, since notifications can
 * be missing. Calls never overlap.
 */
export class EventTail implements EventWatch {
  #watcher: FSWatcher | undefined
  readonly #endPolling: () => void
  readonly #read = shareInFlight(() => this.#readUntilCurrent())
  #again = false
  readonly #leave: () => void
  readonly #closing = new AbortController()

  constructor(
    path: string,
    readonly look: () => Promise<void>,
    pollMilliseconds = 400,
    private readonly limiter: Pick<RateLimiter, 'join' | 'interval'> = READS,
  ) {
    this.#leave = limiter.join()
    this.#endPolling = repeatEvery(pollMilliseconds, () => void this.poke())
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) void this.poke()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // This file system cannot be watched: polling is enough.
    }
    void this.poke()
  }

  /** Read now; resolves once everything that was in the file at this moment is read. */
  poke(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#again = true
    return this.#read()
  }

  /** No read begins after this. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#leave()
    this.#endPolling()
    this.#watcher?.close()
    await this.#read()
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  async #readUntilCurrent(): Promise<void> {
    while (this.#again && !this.#isClosed) {
      this.#again = false
      await this.look()
      await this.#rest()
    }
  }

  async #rest(): Promise<void> {
    const { interval } = this.limiter
    if (interval >= SHORTEST_REST_MILLISECONDS) await sleep(interval, { signal: this.#closing.signal })
  }
}
