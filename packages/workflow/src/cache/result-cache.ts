import type { Outputs } from '../values.js'

/**
 * Results by key. Lookups are asynchronous, since a store may be a file or another machine, and take many keys at once. What is expired,
 * damaged or gone is absent: a miss, never an error.
 */
export interface ResultCache {
  /** The outputs of those keys that are there, without holding them: for plans. */
  peekMany(keys: readonly string[]): Promise<ReadonlyMap<string, Outputs>>
  /** The same, each held until its lease is released; until then it is neither evicted nor expired. */
  acquireMany(keys: readonly string[]): Promise<ReadonlyMap<string, Lease>>
  /** Keep a result. May reject (a full disk): the node has succeeded all the same. */
  put(key: string, outputs: Outputs, origin: Origin): Promise<Lease>
}

export interface Lease {
  readonly outputs: Outputs
  release(): void
}

/** Where a result comes from, for clearing by hand. */
export interface Origin {
  readonly workflow: string
  readonly node: string
  readonly type: string
}
