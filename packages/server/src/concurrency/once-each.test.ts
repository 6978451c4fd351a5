import { expect, it, vi } from 'vitest'
import { onceEach } from './once-each.js'

it('calls once for the same arguments, and remembers what failed', async () => {
  const work = vi.fn(async (one: string, other: string) => {
    if (one === 'bad') throw new Error('bad')
    return one + other
  })
  const once = onceEach(work)
  expect(await Promise.all([once('a', 'b'), once('a', 'b'), once('ab', '')])).toEqual(['ab', 'ab', 'ab'])
  await expect(once('bad', '')).rejects.toThrow('bad')
  await expect(once('bad', '')).rejects.toThrow('bad')
  expect(work).toHaveBeenCalledTimes(3)
})
