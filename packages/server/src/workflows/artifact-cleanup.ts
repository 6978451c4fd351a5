import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../concurrency/coalescer.js'
import { repeatEvery } from '../concurrency/repeat-every.js'
import type { ArtifactStore } from './cache/artifact-store.js'
import type { CacheRepository } from './cache/cache.repository.js'
import { collectGarbage } from './cache/collect.js'
import type { DiskCache } from './cache/disk-cache.js'

export interface CleanupOptions {
  readonly cache: DiskCache
  readonly repository: CacheRepository
  readonly store: ArtifactStore
  readonly isIdle: () => boolean
  /** Time after which results expire. */
  readonly seconds: number
  readonly log: FastifyBaseLogger
}

const MAX_INTERVAL_SECONDS = 3600

/** Removes expired results and files that nothing refers to, regularly and on request, but never while a run is active. */
export class ArtifactCleanup {
  readonly stop: () => void
  readonly #cleanUp = new Coalescer(() => this.#removeExpired(), {
    onError: (error) => this.options.log.warn({ err: error }, 'the artifact store could not be cleaned up'),
  })
  #postponed = false
  #collecting: AbortController | undefined

  constructor(private readonly options: CleanupOptions) {
    const seconds = Math.max(1, Math.min(options.seconds, MAX_INTERVAL_SECONDS))
    this.stop = repeatEvery(1000 * seconds, () => this.run())
  }

  run(): void {
    void this.#cleanUp.flush()
  }

  /** Called when a run begins: the files that it finds in the store must not be removed. */
  onBegun(): void {
    if (!this.#collecting) return
    this.#collecting.abort()
    this.#postponed = true
  }

  /** Called when the last run has ended: run a postponed cleanup. */
  onIdle(): void {
    if (this.#postponed) this.run()
  }

  async #removeExpired(): Promise<void> {
    const { cache, repository, store, isIdle } = this.options
    this.#postponed = !isIdle()
    if (this.#postponed) return
    this.#collecting = new AbortController()
    const { signal } = this.#collecting
    try {
      await cache.sweep()
      await collectGarbage({ folder: store.folder, repository, held: () => cache.heldBlobs(), signal })
    } finally {
      this.#collecting = undefined
    }
  }
}
