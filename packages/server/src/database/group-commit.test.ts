import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { GroupCommit, MOST_OF_A_GROUP } from './group-commit.js'

interface Item {
  readonly key: string
  readonly value: number
  readonly size?: number
}

/** A store whose transactions a test ends, with success or failure. */
class Store {
  readonly groups: (readonly Item[])[] = []
  readonly ends: { commit: () => void; fail: (error: unknown) => void }[] = []

  readonly store = async (items: readonly Item[]): Promise<number[]> => {
    this.groups.push(items)
    await new Promise<void>((commit, fail) => this.ends.push({ commit, fail }))
    return items.map(({ value }) => value)
  }

  async end(error?: unknown): Promise<void> {
    await turn()
    const next = this.ends.shift()
    if (error === undefined) next?.commit()
    else next?.fail(error)
    await turn()
  }
}

const FULL = new Error('full')
let store: Store
let groups: GroupCommit<Item, number>
beforeEach(() => {
  store = new Store()
  groups = new GroupCommit<Item, number>({
    store: store.store,
    keyOf: ({ key }) => key,
    sizeOf: ({ size = 1 }) => size,
    failsAll: (error) => error === FULL,
  })
})
const values = () => store.groups.map((items) => items.map(({ value }) => value))

test('items that arrive during a transaction are in the next one', async () => {
  const first = groups.add({ key: 'a', value: 1 })
  await turn()
  const others = [2, 3, 4].map((value) => groups.add({ key: `${value}`, value }))
  await store.end()
  expect(await first).toBe(1)
  await store.end()
  expect(await Promise.all(others)).toEqual([2, 3, 4])
  expect(values()).toEqual([[1], [2, 3, 4]])
})

test('items with the same key are in successive transactions, in order', async () => {
  const all = [1, 2, 3].map((value) => groups.add({ key: 'a', value }))
  all.push(groups.add({ key: 'b', value: 4 }))
  for (let count = 0; count < 3; count++) await store.end()
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4])
  expect(values()).toEqual([[1, 4], [2], [3]])
})

test('a transaction is limited, and a larger item has its own', async () => {
  const half = Math.floor(MOST_OF_A_GROUP / 2)
  for (const [value, size] of [half, half, 2 * MOST_OF_A_GROUP, half].entries())
    void groups.add({ key: `${value}`, value, size })
  for (let count = 0; count < 4; count++) await store.end()
  expect(values()).toEqual([[0, 1], [2], [3]])
})

test('after one item has waited for half a second, a transaction has four times as many', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    for (let value = 0; value < 12 * MOST_OF_A_GROUP; value++) void groups.add({ key: `${value}`, value })
    await store.end()
    clock.mockReturnValue(501)
    for (let count = 0; count < 8; count++) await store.end()
  } finally {
    clock.mockRestore()
  }
  const sizes = store.groups.map(({ length }) => length / MOST_OF_A_GROUP)
  expect(sizes).toEqual([1, 1, 1, 4, 4, 1])
})

test('an item that cannot be stored fails by itself: the others are stored', async () => {
  const all = [1, 2, 3].map((value) => groups.add({ key: `${value}`, value }))
  const settled = Promise.allSettled(all)
  await store.end(new Error('constraint'))
  await store.end()
  await store.end(new Error('constraint'))
  await store.end()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(values()).toEqual([[1, 2, 3], [1], [2], [3]])
})

test('an error that would fail each item fails them together, and later items are tried', async () => {
  const settled = Promise.allSettled([1, 2].map((value) => groups.add({ key: `${value}`, value })))
  await store.end(FULL)
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const later = groups.add({ key: 'a', value: 3 })
  await store.end()
  expect(await later).toBe(3)
  expect(values()).toEqual([[1, 2], [3]])
})
