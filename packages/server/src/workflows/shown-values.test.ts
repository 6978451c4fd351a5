import { MAX_NAME_CHARACTERS, MAX_NAMES, type ValueDescription } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { shownValues } from './shown-values.js'

/** A value of this many nodes that each have one table with these columns. */
const tables = (nodes: number, columns: readonly string[]) =>
  new Map(
    Array.from({ length: nodes }, (_, index) => [
      `n${index}`,
      { dataset: { type: 'dataset', columns } as unknown as ValueDescription },
    ]),
  )
const names = (count: number) => Array.from({ length: count }, (_, index) => `column ${index}`)
const noPause = () => undefined

test('the first names of a value are shown, and how many there are', async () => {
  const { n0 } = await shownValues(tables(1, names(MAX_NAMES + 5)), noPause)
  expect(n0?.dataset).toMatchObject({ columns: names(MAX_NAMES), num_columns: MAX_NAMES + 5 })
})

test('the names of 20,000 tables are limited together', async () => {
  const shown = await shownValues(tables(20_000, names(MAX_NAMES)), noPause)
  const characters = Object.values(shown)
    .flatMap(({ dataset }) => dataset?.columns ?? [])
    .reduce((sum, name) => sum + name.length, 0)
  expect(characters).toBeLessThanOrEqual(MAX_NAME_CHARACTERS)
  expect(shown.n0?.dataset?.columns).toHaveLength(MAX_NAMES)
  expect(shown.n19999?.dataset).toMatchObject({ columns: [], num_columns: MAX_NAMES })
  expect(JSON.stringify(shown).length).toBeLessThan(5_000_000)
})

test('a node with the name of a prototype is one of the values', async () => {
  const shown = await shownValues(
    new Map([['__proto__', { dataset: { type: 'dataset' } as never }]]),
    noPause,
  )
  expect(Object.keys(shown)).toEqual(['__proto__'])
})

test('the values of every node may be interrupted, so that the service responds and a caller may leave', async () => {
  let pauses = 0
  await shownValues(tables(50, []), () => {
    pauses += 1
    return undefined
  })
  expect(pauses).toBe(50)
})
