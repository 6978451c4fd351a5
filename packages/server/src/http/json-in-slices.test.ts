import { expect, test } from 'vitest'
import { jsonInSlices } from './json-in-slices.js'

const many = (item: unknown) => Array.from({ length: 50 }, () => item)

test.each<[string, unknown]>([
  ['a list', { items: many({ a: 1, b: [2, undefined], c: undefined }), next: null }],
  [
    'a list in a field',
    { result: { rows: many('"\u2028'), at: new Date(0) }, left: undefined, n: Number.NaN },
  ],
  ['items that are nothing', { items: [...many(1), undefined, () => 1, Symbol('s'), null] }],
  [
    'an object with many fields',
    {
      values: Object.fromEntries(
        many(0).map((_, index) => [`n${index}`, index % 3 ? { a: [index] } : undefined]),
      ),
    },
  ],
  ['keys that need quotes', { 'a"\n': many(0) }],
])('%s is written as JSON.stringify writes it', async (_, response) => {
  expect(await jsonInSlices(response)).toBe(JSON.stringify(response))
})

test('other requests have their turn while a long list is serialized', async () => {
  const written = jsonInSlices({ items: many('x'.repeat(1_000_000)) })
  const first = await Promise.race([
    written.then(() => 'the list'),
    new Promise((turn) => setImmediate(turn, 'another')),
  ])
  expect(first).toBe('another')
  await written
})

test('other requests have their turn while an object with many fields is serialized', async () => {
  const fields = many('x'.repeat(1_000_000)).map((text, index) => [`n${index}`, { port: text }])
  const written = jsonInSlices({ values: Object.fromEntries(fields) })
  const first = await Promise.race([
    written.then(() => 'the object'),
    new Promise((turn) => setImmediate(turn, 'another')),
  ])
  expect(first).toBe('another')
  await written
})

test.each([[null], ['text'], [[1, 2]], [{ items: [1, 2] }], [{ a: { b: { c: many(1) } } }]])(
  'returns null for %j',
  async (response) => {
    expect(await jsonInSlices(response)).toBeNull()
  },
)
