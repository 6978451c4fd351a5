import type { Outputs } from '../values.js'

/**
 * Results by key. Lookups are asynchronous, because a store may be a file or another machine, and accept many keys at once. Expired, damaged
 * and missing results are absent: a miss, never an error.
 */
export interface ResultCache {
  /** Outputs of those keys that exist, without leases: for plans. */
  peekMany(keys: readonly string[]): Promise<ReadonlyMap<string, Outputs>>
  /** The same, each leased until its lease is released; until then it is neither evicted nor expired. */
  acquireMany(keys: readonly string[]): Promise<ReadonlyMap<string, Lease>>
  /** Stores a result. May reject (a full disk): the node has succeeded nevertheless. */
  put(key: string, outputs: Outputs, origin: Origin): Promise<Lease>
}

export interface Lease {
  readonly outputs: Outputs
  release(): void
}

/** Origin of a result, for manual clearing. */
export interface Origin {
  readonly workflow: string
  readonly node: string
  readonly type: string
}
