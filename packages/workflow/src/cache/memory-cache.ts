import type { Clock } from '../run/clock.js'
import type { Outputs } from '../values.js'
import type { Lease, Origin, ResultCache } from './result-cache.js'

export interface MemoryCacheOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly maxEntries?: number
  /** Milliseconds after which a result expires; absent: never. */
  readonly timeToLive?: number
}

interface Entry {
  readonly outputs: Outputs
  readonly origin: Origin
  readonly storedAt: number
  leases: number
}

/** Results in memory; the least recently used is evicted first. Leased entries stay. */
export class MemoryCache implements ResultCache {
  /** In order of use, oldest first. */
  private readonly entries = new Map<string, Entry>()
  private readonly maxEntries: number

  constructor(private readonly options: MemoryCacheOptions) {
    this.maxEntries = options.maxEntries ?? 100_000
  }

  get size(): number {
    return this.entries.size
  }

  async peekMany(keys: readonly string[]): Promise<ReadonlyMap<string, Outputs>> {
    return this.found(keys, (_, { outputs }) => outputs)
  }

  async acquireMany(keys: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
    return this.found(keys, (key, entry) => {
      this.entries.delete(key)
      this.entries.set(key, entry)
      return this.lease(entry)
    })
  }

  async put(key: string, outputs: Outputs, origin: Origin): Promise<Lease> {
    const entry = { outputs, origin, storedAt: this.options.clock.now(), leases: 0 }
    this.entries.delete(key)
    this.entries.set(key, entry)
    const lease = this.lease(entry)
    this.evict()
    return lease
  }

  /** Removes results: of a node, of a workflow, or all. Runs that use some keep them. Returns the number of removed results. */
  clear(filter: Partial<Origin> = {}): number {
    const before = this.entries.size
    for (const [key, { origin }] of this.entries) {
      const matches = Object.entries(filter).every(([name, value]) => origin[name as keyof Origin] === value)
      if (matches) this.entries.delete(key)
    }
    return before - this.entries.size
  }

  private found<T>(keys: readonly string[], give: (key: string, entry: Entry) => T): Map<string, T> {
    const found = new Map<string, T>()
    for (const key of keys) {
      const entry = this.fresh(key)
      if (entry) found.set(key, give(key, entry))
    }
    return found
  }

  private fresh(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    const { timeToLive, clock } = this.options
    if (!entry || timeToLive === undefined || clock.now() - entry.storedAt < timeToLive) return entry
    if (entry.leases === 0) this.entries.delete(key)
    return undefined
  }

  private lease(entry: Entry): Lease {
    entry.leases++
    let held = true
    return {
      outputs: entry.outputs,
      release: () => {
        if (held) entry.leases--
        held = false
        this.evict()
      },
    }
  }

  private evict(): void {
    if (this.entries.size <= this.maxEntries) return
    for (const [key, entry] of this.entries) {
      if (this.entries.size <= this.maxEntries) return
      if (entry.leases === 0) this.entries.delete(key)
    }
  }
}
