import { describe, expect, it } from 'vitest'
import { tensor } from '../../testing/arithmetic.js'
import { ManualClock } from '../../testing/manual-clock.js'
import { MemoryCache } from '../index.js'

const origin = { workflow: 'w', node: 'n', type: 'Number' }
const filled = async (keys: string, options = {}) => {
  const clock = new ManualClock()
  const cache = new MemoryCache({ clock, ...options })
  const put = (key: string, content: unknown) => cache.put(key, { out: tensor(content) }, origin)
  const acquire = async (key: string) => (await cache.acquireMany([key])).get(key)
  const held = async () => [...(await cache.peekMany([...'abcdef'])).keys()].join('')
  for (const key of keys) (await put(key, key)).release()
  return { cache, clock, put, acquire, held }
}

describe('the cache in memory', () => {
  it('lets the least recently used go first', async () => {
    const { acquire, put, held } = await filled('abc', { maxEntries: 3 })
    ;(await acquire('a'))?.release()
    ;(await put('d', 1)).release()
    expect(await held()).toBe('acd')
  })

  it('keeps what is leased beyond its size, and lets it go when the lease ends', async () => {
    const { cache, put, held } = await filled('ab', { maxEntries: 2 })
    const leases = await cache.acquireMany(['a', 'b'])
    ;(await put('c', 1)).release()
    expect(await held()).toBe('ab')
    const d = await put('d', 1)
    expect(await held()).toBe('abd')
    for (const lease of leases.values()) lease.release()
    expect(await held()).toBe('bd')
    d.release()
    expect(await held()).toBe('bd')
  })

  it('lets nothing go that somebody else still holds, however often one lease is released', async () => {
    const { acquire, put, held } = await filled('a', { maxEntries: 1 })
    const [first, second] = [await acquire('a'), await acquire('a')]
    first?.release()
    first?.release()
    ;(await put('b', 1)).release()
    expect(await held()).toBe('a')
    second?.release()
    ;(await put('c', 1)).release()
    expect(await held()).toBe('c')
  })

  it('gives nothing that has expired, also when somebody still holds it', async () => {
    const { acquire, clock, held } = await filled('ab', { timeToLive: 1000 })
    const lease = await acquire('a')
    clock.advance(999)
    expect(await held()).toBe('ab')
    clock.advance(1)
    expect(await held()).toBe('')
    expect(await acquire('a')).toBeUndefined()
    expect(lease?.outputs.out?.content).toBe('a')
  })

  it('replaces what is put under the same key', async () => {
    const { cache, put } = await filled('a')
    await put('a', 'new')
    const outputs = await cache.peekMany(['a'])
    expect([outputs.get('a')?.out?.content, cache.size]).toEqual(['new', 1])
  })
})
