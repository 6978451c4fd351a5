import type { Lease, ResultCache } from './result-cache.js'

/**
 * Acquires single keys from a cache that accepts many: keys requested before the next turn of microtasks share one lookup. A key is requested
 * once per lookup (the single flight ensures this), because a lookup returns one lease per key.
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
