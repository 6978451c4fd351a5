import { expect, it, vi } from 'vitest'
import { memoizeSuccess } from './memoize-success.js'

it('calls the work again after a failure, and not after a success', async () => {
  const work = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('online')
  const remembered = memoizeSuccess<string>(work)
  await expect(remembered()).rejects.toThrow('offline')
  expect(await Promise.all([remembered(), remembered()])).toEqual(['online', 'online'])
  expect(await remembered()).toBe('online')
  expect(work).toHaveBeenCalledTimes(2)
})
