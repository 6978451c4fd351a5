import { describe, expect, it } from 'vitest'
import { tensor } from '../../testing/arithmetic.js'
import { ManualClock } from '../../testing/manual-clock.js'
import { MemoryCache } from '../index.js'

const origin = { workflow: 'w', node: 'n', type: 'Number' }
const filled = (keys: string, options = {}) => {
  const clock = new ManualClock()
  const cache = new MemoryCache({ clock, ...options })
  for (const key of keys) cache.put(key, { out: tensor(key) }, origin).release()
  const held = () => [...'abcdef'].filter((key) => cache.peek(key) !== undefined).join('')
  return { cache, clock, held }
}

describe('the cache in memory', () => {
  it('lets the least recently used go first', () => {
    const { cache, held } = filled('abc', { maxEntries: 3 })
    cache.acquire('a')?.release()
    cache.put('d', { out: tensor(1) }, origin).release()
    expect(held()).toBe('acd')
  })

  it('keeps what is leased beyond its size, and lets it go when the lease ends', () => {
    const { cache, held } = filled('ab', { maxEntries: 2 })
    const leases = [cache.acquire('a'), cache.acquire('b')]
    cache.put('c', { out: tensor(1) }, origin).release()
    expect(held()).toBe('ab')
    const d = cache.put('d', { out: tensor(1) }, origin)
    expect(held()).toBe('abd')
    for (const lease of leases) lease?.release()
    expect(held()).toBe('bd')
    d.release()
    d.release()
    expect(held()).toBe('bd')
  })

  it('gives nothing that has expired, also when somebody still holds it', () => {
    const { cache, clock, held } = filled('ab', { timeToLive: 1000 })
    const lease = cache.acquire('a')
    clock.advance(999)
    expect(held()).toBe('ab')
    clock.advance(1)
    expect(held()).toBe('')
    expect(cache.acquire('a')).toBeUndefined()
    expect(lease?.outputs.out?.content).toBe('a')
  })

  it('replaces what is put under the same key', () => {
    const { cache } = filled('a')
    cache.put('a', { out: tensor('new') }, origin)
    expect([cache.peek('a')?.out?.content, cache.size]).toEqual(['new', 1])
  })
})
