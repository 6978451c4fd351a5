import { join } from 'node:path'
import { type Blob, type NodeContent, readWarnings, WORKFLOW_LIMITS } from '@medloom/contracts'
import type { Lease, Origin, Outputs, ResultCache } from '@medloom/workflow'
import { BoundedMap } from '../../concurrency/bounded-map.js'
import { yieldIfDue } from '../../concurrency/event-loop.js'
import { isUnchanged } from '../../storage/checkpoints.js'
import type { ArtifactStore } from './artifact-store.js'
import type { CacheRepository, StoredResult } from './cache.repository.js'
import { referencedBlobs } from './referenced-blobs.js'
import { ResultWriter } from './result-writer.js'

export interface DiskCacheOptions {
  readonly repository: CacheRepository
  readonly store: ArtifactStore
  /** Base folder of the checkpoints of trained models. */
  readonly dataDir: string
  /** Called for a result that exists but cannot be used. */
  readonly warn: (message: string, key: string) => void
  readonly now?: () => number
  /** Milliseconds after which a result expires. */
  readonly timeToLive: number
  /** Results kept in memory. */
  readonly inMemory?: number
}

/** The size of the largest workflow: a run reads results in order, so a smaller cache would never contain the next one. */
const IN_MEMORY = WORKFLOW_LIMITS.workflow_nodes

interface Entry {
  readonly outputs: Outputs
  /** The files that the outputs refer to. */
  readonly blobs: readonly Blob[]
  readonly createdAt: number
}

/**
 * Results by key: rows in the database, large values in the artifact store, recently used results also in memory. They survive a restart of
 * the service. An expired, damaged or missing result is a miss.
 */
export class DiskCache implements ResultCache {
  /** In order of use, oldest first. */
  readonly #memory: BoundedMap<string, Entry>
  readonly #leases = new Map<string, { count: number; readonly blobs: readonly Blob[] }>()
  readonly #now: () => number
  readonly #writer: ResultWriter
  /** Incremented when results are removed: results that were read before are then not stored in memory. */
  #generation = 0
  /** Workflows whose latest results have been read into memory. */
  readonly #preloaded = new Set<string>()

  constructor(private readonly options: DiskCacheOptions) {
    this.#now = options.now ?? Date.now
    this.#memory = new BoundedMap(options.inMemory ?? IN_MEMORY)
    this.#writer = new ResultWriter(options.repository)
  }

  async peekMany(keys: readonly string[]): Promise<ReadonlyMap<string, Outputs>> {
    return this.#usable(keys, (_, entry) => entry.outputs)
  }

  async acquireMany(keys: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
    // Leased before its files are checked, so that the files that were found are not removed.
    return this.#usable(
      keys,
      (key, entry) => this.#lease(key, entry),
      (lease) => lease.release(),
    )
  }

  async put(key: string, outputs: Outputs, origin: Origin): Promise<Lease> {
    const entry = { outputs, blobs: referencedBlobs(outputs), createdAt: this.#now() }
    const lease = this.#lease(key, entry)
    try {
      const { blobs, createdAt: created_at } = entry
      await this.#writer.write({ key, outputs: JSON.stringify(outputs), created_at, origin, blobs })
    } catch (error) {
      lease.release()
      throw error
    }
    this.#memory.set(key, entry)
    return lease
  }

  /**
   * Read the latest results of a workflow into memory, once in the lifetime of the service, page by page: its plans and runs then query the
   * database for changed nodes only.
   */
  async preload(workflow: string): Promise<void> {
    if (this.#preloaded.has(workflow)) return
    this.#preloaded.add(workflow)
    const generation = this.#generation
    for await (const rows of this.options.repository.latestOf(workflow)) {
      if (generation !== this.#generation) return
      for (const row of rows) {
        const entry = this.#memory.has(row.key) ? undefined : this.#parse(row)
        if (entry) this.#memory.set(row.key, entry)
      }
    }
  }

  /** Remove results of a node, of a workflow, or all. Runs keep the results that they hold. Returns their number. */
  async clear(filter: { workflow?: string; node?: string } = {}): Promise<number> {
    let cleared = 0
    for await (const keys of this.options.repository.clear(filter)) {
      this.#forget(keys)
      cleared += keys.length
    }
    return cleared
  }

  /** The keys of the results of a node of a workflow, newest first. */
  keysOf(workflow: string, node: string): Promise<string[]> {
    return this.options.repository.keysOf(workflow, node)
  }

  state(): Promise<{ results: number; files: number; size_bytes: number }> {
    return this.options.repository.counts()
  }

  /** Remove expired results that nobody holds. */
  async sweep(): Promise<void> {
    const { repository, timeToLive } = this.options
    const expired = await repository.keptBefore(this.#now() - timeToLive)
    const free = expired.filter((key) => !this.#leases.has(key))
    this.#forget(free)
    await repository.remove(free)
  }

  /** Files to which leased results refer, as `<sha256><suffix>`. */
  heldBlobs(): Set<string> {
    return new Set(
      [...this.#leases.values()].flatMap(({ blobs }) => blobs.map(({ sha256, suffix }) => sha256 + suffix)),
    )
  }

  /** Applies `take` to each usable result; `drop` undoes it if the result turns out to be damaged. */
  async #usable<T>(
    keys: readonly string[],
    take: (key: string, entry: Entry) => T,
    drop: (taken: T) => void = () => {},
  ): Promise<Map<string, T>> {
    const generation = this.#generation
    const found = await this.#read(keys)
    const taken = [...found].map(([key, entry]) => ({ key, entry, value: take(key, entry) }))
    const usable = new Map<string, T>()
    // Sequential: many results refer to the same few files, each of which is read once.
    for (const { key, entry, value } of taken) {
      const waits = yieldIfDue()
      if (waits) await waits
      const fault = await this.#fault(entry)
      if (fault) {
        drop(value)
        this.#memory.delete(key)
        this.options.warn(fault, key)
        continue
      }
      usable.set(key, value)
      if (generation === this.#generation) this.#memory.set(key, entry)
    }
    return usable
  }

  /** Results that have not expired, from memory or from the database, in the order of the keys. */
  async #read(keys: readonly string[]): Promise<Map<string, Entry>> {
    const absent = keys.filter((key) => !this.#memory.has(key))
    const rows = absent.length === 0 ? [] : await this.options.repository.find(absent)
    const stored = new Map(rows.map((row) => [row.key, row]))
    const found = new Map<string, Entry>()
    for (const key of keys) {
      const row = stored.get(key)
      const entry = this.#memory.get(key) ?? (row && this.#parse(row))
      if (!entry) continue
      if (this.#now() - entry.createdAt < this.options.timeToLive) found.set(key, entry)
      else this.#memory.delete(key)
    }
    return found
  }

  #parse({ key, outputs: text, created_at }: StoredResult): Entry | undefined {
    try {
      const outputs = readOutputs(text)
      return { outputs, blobs: referencedBlobs(outputs), createdAt: created_at }
    } catch {
      this.options.warn('its record cannot be read', key)
      return undefined
    }
  }

  async #fault({ outputs, blobs, createdAt }: Entry): Promise<string | undefined> {
    for (const blob of blobs)
      if (!(await this.options.store.isSound(blob, createdAt)))
        return 'one of its files is missing or damaged'
    for (const { content } of Object.values(outputs)) {
      const model = content as NodeContent
      if (model?.content !== 'trained_model') continue
      const checkpoint = join(this.options.dataDir, model.checkpoint)
      if (!(await isUnchanged(checkpoint, model.checkpoint_digest, createdAt)))
        return 'its checkpoint is missing or damaged'
    }
    return undefined
  }

  #forget(keys: readonly string[]): void {
    this.#generation++
    for (const key of keys) this.#memory.delete(key)
  }

  #lease(key: string, { outputs, blobs }: Entry): Lease {
    const held = this.#leases.get(key) ?? { count: 0, blobs }
    this.#leases.set(key, held)
    held.count++
    let mine = true
    return {
      outputs,
      release: () => {
        if (!mine) return
        mine = false
        if (--held.count === 0) this.#leases.delete(key)
      },
    }
  }
}

/** Results from before warnings had codes contain only the messages. */
function readOutputs(text: string): Outputs {
  return Object.fromEntries(
    Object.entries(JSON.parse(text) as Outputs).map(([port, value]) => [
      port,
      value.warnings ? { ...value, warnings: readWarnings(value.warnings) } : value,
    ]),
  )
}
