import { expect, it, vi } from 'vitest'
import { memoize } from './memoize.js'

it('runs once per set of arguments, and caches failures', async () => {
  const work = vi.fn(async (one: string, other: string) => {
    if (one === 'bad') throw new Error('bad')
    return one + other
  })
  const once = memoize(work)
  expect(await Promise.all([once('a', 'b'), once('a', 'b'), once('ab', '')])).toEqual(['ab', 'ab', 'ab'])
  await expect(once('bad', '')).rejects.toThrow('bad')
  await expect(once('bad', '')).rejects.toThrow('bad')
  expect(work).toHaveBeenCalledTimes(3)
})
