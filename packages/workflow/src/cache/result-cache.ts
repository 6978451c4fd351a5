import type { Outputs } from '../values.js'

/** Results by key. What is expired, damaged or gone is absent: a miss, never an error. */
export interface ResultCache {
  /** The outputs under a key, without holding them: for plans. */
  peek(key: string): Outputs | undefined
  /** The same, held until the lease is released: not evicted, not expired meanwhile. */
  acquire(key: string): Lease | undefined
  /** Keep a result. May throw or reject (a full disk): the node has succeeded all the same. */
  put(key: string, outputs: Outputs, origin: Origin): Lease | Promise<Lease>
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
