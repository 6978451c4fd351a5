import type { Lease, ResultCache } from './result-cache.js'

/**
 * Acquires one key at a time from a cache that takes many: keys that are asked for before the next turn of microtasks go into one
 * lookup. A key is asked for once per lookup (a single flight does so), since a lookup gives one lease for each key.
 */
export function batchedAcquire(
  cache: Pick<ResultCache, 'acquireMany'>,
): (key: string) => Promise<Lease | undefined> {
  let open: Lookup | undefined
  return async (key) => {
    open ??= begin()
    open.keys.push(key)
    return (await open.leases).get(key)
  }

  function begin(): Lookup {
    const keys: string[] = []
    const leases = Promise.resolve().then(() => {
      open = undefined
      return cache.acquireMany(keys)
    })
    return { keys, leases }
  }
}

interface Lookup {
  readonly keys: string[]
  readonly leases: Promise<ReadonlyMap<string, Lease>>
}
