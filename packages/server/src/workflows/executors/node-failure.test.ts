import { expect, it } from 'vitest'
import { AppError } from '../../errors.js'
import { failingAsNode } from './node-failure.js'

it('what a node reads fails as the node does: with the code of the error and its remedy', async () => {
  const read = failingAsNode((file: string) => {
    throw new AppError(
      'OUT_OF_MEMORY',
      { english: `reading ${file} used 136 MiB` },
      { english: 'Use less memory.' },
    )
  })
  await expect(read('a.csv')).rejects.toMatchObject({
    type: 'OUT_OF_MEMORY',
    message: 'reading a.csv used 136 MiB. Use less memory.',
  })
  expect(await failingAsNode((file: string) => file)('a.csv')).toBe('a.csv')
})
