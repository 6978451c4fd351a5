import { expect, test } from 'vitest'
import { StoredKeys } from './stored-keys.js'

async function* pages(...all: string[][]) {
  yield* all
}

test('any key may be stored until the stored ones are read; then only those and new ones', async () => {
  const keys = new StoredKeys()
  expect(keys.mayHave('a')).toBe(true)
  await keys.load(pages(['a'], ['b']))
  expect(['a', 'b', 'c'].map((key) => keys.mayHave(key))).toEqual([true, true, false])
  keys.add(['c'])
  keys.delete(['a'])
  expect(['a', 'b', 'c'].map((key) => keys.mayHave(key))).toEqual([false, true, true])
})

test('a key that is stored while the earlier ones are read is known', async () => {
  const keys = new StoredKeys()
  const loading = keys.load(pages([], []))
  keys.add(['new'])
  await loading
  expect(keys.mayHave('new')).toBe(true)
})

test('if an earlier key could not be read, any key may be stored', async () => {
  const keys = new StoredKeys()
  const broken = async function* () {
    yield ['a']
    throw new Error('broken')
  }
  await expect(keys.load(broken())).rejects.toThrow('broken')
  expect(keys.mayHave('b')).toBe(true)
})

test('with more keys than it may hold, any key may be stored', async () => {
  const keys = new StoredKeys(2)
  await keys.load(pages(['a', 'b']))
  expect(keys.mayHave('c')).toBe(false)
  keys.add(['d'])
  expect(keys.mayHave('c')).toBe(true)
})
