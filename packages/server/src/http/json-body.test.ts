import { LIMITS } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { type BodyLimits, parseJsonBody } from './json-body.js'

const MOST: BodyLimits = { values: LIMITS.body_values, keys: LIMITS.body_keys, depth: LIMITS.body_depth }
const parse = (text: string | Buffer, limits: Partial<BodyLimits> = {}) =>
  parseJsonBody(Buffer.from(text as string), { ...MOST, ...limits })
const refusal = async (text: string | Buffer, limits: Partial<BodyLimits> = {}) => {
  const error: unknown = await parse(text, limits).then(
    () => new Error('was accepted'),
    (error: unknown) => error,
  )
  return error as { code: string; message: string }
}

test('JSON is parsed', async () =>
  expect(await parse('{"a": [1, "ä", null]}')).toEqual({ a: [1, 'ä', null] }))

test('a byte order mark is ignored at the beginning, and only there', async () => {
  expect(await parse('\ufeff[1]')).toEqual([1])
  expect((await refusal('[\ufeff1]')).code).toBe('INVALID_JSON')
})

test.each(['{', '{"a":1,}', "{'a':1}", 'NaN', '[1] 2', '\ufeff!'])('%s is INVALID_JSON', async (text) =>
  expect((await refusal(text)).code).toBe('INVALID_JSON'),
)

test('the position of the mistake is reported without its text: a body may contain patient data', async () => {
  const { message } = await refusal('{\n  "patient": "Mustermann" "x"\n}')
  expect(message).toBe('the body is not JSON at line 2, column 27')
})

test('invalid UTF-8 is refused, never read as replacement characters', async () => {
  expect(await refusal(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ code: 'INVALID_JSON' })
})

test('32 levels are accepted, 33 are refused, and a million are refused without being parsed', async () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(await parse(nested(32))).toBeDefined()
  expect((await refusal(nested(33))).code).toBe('PAYLOAD_TOO_DEEP')
  expect((await refusal('{"a":'.repeat(33))).code).toBe('PAYLOAD_TOO_DEEP')
  expect((await refusal('['.repeat(1_000_000))).code).toBe('PAYLOAD_TOO_DEEP')
  expect((await refusal(nested(4), { depth: 3 })).message).toContain('deeper than 3 levels')
})

test('the maximum number of values is accepted, one more is refused, and a million are refused without being parsed', async () => {
  const list = (values: number) => JSON.stringify(Array(values - 1).fill(0))
  expect(await parse(list(100), { values: 100 })).toBeDefined()
  expect((await refusal(list(102), { values: 100 })).message).toContain('more than 100 values')
  expect((await refusal('0,'.repeat(1_000_000))).code).toBe('PAYLOAD_TOO_LARGE')
})

test('one object may have as many keys as a table may have columns', async () => {
  const object = (keys: number) => `{${Array.from({ length: keys }, (_, index) => `"k${index}":1`).join()}}`
  const keys = LIMITS.body_column_keys
  const body = (keys: number) => `{"a":${object(keys)},"b":${object(keys)}}`
  expect(await parse(body(keys), { values: 1e6, keys })).toBeDefined()
  expect((await refusal(body(keys + 1), { values: 1e6, keys })).message).toContain('more than 100,000 keys')
})

test('brackets inside strings do not count', async () => {
  expect(await parse(JSON.stringify({ a: `${'['.repeat(100)}\\"[` }))).toBeDefined()
})

test('a long body is read in many steps, so that the service answers other requests in between', async () => {
  const nodes = Array.from({ length: 100_000 }, (_, index) => ({ id: `n${index}` }))
  const body = Buffer.from(JSON.stringify({ nodes }))
  let pauses = 0
  await parseJsonBody(body, { ...MOST, values: 1e6 }, () => {
    pauses += 1
    return undefined
  })
  // Counting, parsing, and looking for keys of prototypes.
  expect(pauses).toBeGreaterThan(200)
})

test.each([
  ['{"__proto__": {}}', '__proto__'],
  ['{"config": {"data": {"__proto__": null}}}', 'config.data.__proto__'],
  ['{"a": [{"constructor": {"prototype": 1}}]}', 'a.0.constructor'],
  ['{"\\u005f_proto__": 1}', '__proto__'],
])('%s is refused at %s', async (text, place) => {
  expect(await refusal(text)).toMatchObject({ code: 'INVALID_REQUEST', issues: [{ path: place }] })
})

test('a plain key named constructor is an ordinary unknown key', async () => {
  expect(await parse('{"constructor": 1}')).toBeDefined()
})
