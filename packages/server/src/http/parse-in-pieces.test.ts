import { expect, test } from 'vitest'
import { NotJson, parseInPieces } from './parse-in-pieces.js'

const noPause = () => undefined
const parse = (text: string, piece: number) => parseInPieces(Buffer.from(text), { pause: noPause, piece })
const accepts = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const DOCUMENTS = [
  {},
  [],
  { a: [], b: {}, c: [{}, [[]]] },
  [1, -2.5e3, true, false, null, 'ä€😀', 'a "quoted" \\ [text], {with} : brackets'],
  {
    'a "key", with : [all]': { deep: [{ deeper: ['x'.repeat(40)] }, 2] },
    '': 0,
    10: 'integer key',
    2: 'first',
  },
  JSON.parse('{"__proto__": {"a": 1}, "b": [1, 2, 3, 4, 5, 6, 7, 8, 9]}'),
  Array.from({ length: 50 }, (_, index) => ({ id: `n${index}`, config: { values: [index, null] } })),
]

test.each(DOCUMENTS.map((document, index) => [index, document] as const))(
  'document %i is parsed as JSON.parse parses it, whatever the size of a piece is',
  async (_, document) => {
    for (const space of [undefined, 1, '\t\r\n'])
      for (const piece of [1, 2, 3, 7, 20, 1000]) {
        const text = ` ${JSON.stringify(document, null, space)}\n`
        expect(JSON.stringify(await parse(text, piece))).toBe(JSON.stringify(JSON.parse(text)))
      }
  },
)

test('of a repeated key the last value counts', async () => {
  expect(await parse('{"a": [1, 2, 3], "b": 1, "a": [4, 5, 6]}', 4)).toEqual({ a: [4, 5, 6], b: 1 })
})

test('a document with any one character removed, doubled or replaced is refused if JSON.parse refuses it', async () => {
  const text = JSON.stringify({
    a: [1, { b: 'x\\"y' }, []],
    cc: { d: [2, 3], e: null },
    f: ['long enough', true],
  })
  const changed = Array.from(text).flatMap((character, index) => {
    const [before, after] = [text.slice(0, index), text.slice(index + 1)]
    return ['', character + character, ',', ']', '}', '"', ' '].map((other) => before + other + after)
  })
  for (const wrong of changed)
    for (const piece of [1, 4, 12])
      if (accepts(wrong)) expect(await parse(wrong, piece)).toEqual(JSON.parse(wrong))
      else await expect(parse(wrong, piece), `${wrong} in pieces of ${piece}`).rejects.toThrow(NotJson)
})

test('the offset of a mistake is that of the whole text', async () => {
  const text = `{"first": ["${'ä'.repeat(20)}", 1, 2], "second": [1, 2 3]}`
  const { offset } = (await parse(text, 10).catch((error: unknown) => error)) as NotJson
  expect(offset).toBe(Buffer.byteLength(text.slice(0, text.indexOf('3]'))))
})

test('bytes that are not UTF-8 are an error in every piece', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"a": [1, 2, 3], "b": "'),
    Buffer.from([0xff]),
    Buffer.from('"}'),
  ])
  await expect(parseInPieces(bytes, { pause: noPause, piece: 4 })).rejects.toThrow(TypeError)
})

test('a long document is parsed in many steps, so that the service answers other requests in between', async () => {
  const text = JSON.stringify({ nodes: Array.from({ length: 100_000 }, (_, index) => ({ id: `n${index}` })) })
  let pauses = 0
  const pause = () => {
    pauses += 1
    return undefined
  }
  await parseInPieces(Buffer.from(text), { pause })
  expect(pauses).toBeGreaterThan(text.length / 70_000)
})
