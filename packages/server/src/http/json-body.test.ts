import { LIMITS } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { parseJsonBody } from './json-body.js'

const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text as string))
const refusal = (text: string | Buffer) => {
  try {
    parse(text)
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('was accepted')
}

test('JSON is parsed', () => expect(parse('{"a": [1, "ä", null]}')).toEqual({ a: [1, 'ä', null] }))

test.each(['{', '{"a":1,}', "{'a':1}", 'NaN', '[1] 2', '\ufeff!'])('%s is INVALID_JSON', (text) =>
  expect(refusal(text).code).toBe('INVALID_JSON'),
)

test('the position of the mistake is reported without its text: a body may contain patient data', () => {
  const { message } = refusal('{\n  "patient": "Mustermann" "x"\n}')
  expect(message).toBe('the body is not JSON at line 2, column 27')
})

test('invalid UTF-8 is refused, never read as replacement characters', () => {
  expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ code: 'INVALID_JSON' })
})

test('32 levels are accepted, 33 are refused, and a million are refused without being parsed', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(parse(nested(32))).toBeDefined()
  expect(refusal(nested(33)).code).toBe('PAYLOAD_TOO_DEEP')
  expect(refusal('{"a":'.repeat(33)).code).toBe('PAYLOAD_TOO_DEEP')
  expect(refusal('['.repeat(1_000_000)).code).toBe('PAYLOAD_TOO_DEEP')
})

test('the maximum number of values is accepted, one more is refused, and a million are refused without being parsed', () => {
  const list = (values: number) => JSON.stringify(Array(values - 1).fill(0))
  expect(parseJsonBody(Buffer.from(list(100)), 100)).toBeDefined()
  expect(() => parseJsonBody(Buffer.from(list(102)), 100)).toThrow('more than 100 values')
  expect(refusal('0,'.repeat(1_000_000)).code).toBe('PAYLOAD_TOO_LARGE')
})

test('one object may have as many keys as a table may have columns', () => {
  const object = (keys: number) => `{${Array.from({ length: keys }, (_, index) => `"k${index}":1`).join()}}`
  const body = (keys: number) => Buffer.from(`{"a":${object(keys)},"b":${object(keys)}}`)
  expect(parseJsonBody(body(LIMITS.body_keys), 1e6)).toBeDefined()
  expect(() => parseJsonBody(body(LIMITS.body_keys + 1), 1e6)).toThrow('more than 100,000 keys')
})

test('brackets inside strings do not count', () => {
  expect(parse(JSON.stringify({ a: `${'['.repeat(100)}\\"[` }))).toBeDefined()
})

test.each([
  ['{"__proto__": {}}', '__proto__'],
  ['{"config": {"data": {"__proto__": null}}}', 'config.data.__proto__'],
  ['{"a": [{"constructor": {"prototype": 1}}]}', 'a.0.constructor'],
  ['{"\\u005f_proto__": 1}', '__proto__'],
])('%s is refused at %s', (text, place) => {
  expect(refusal(text)).toMatchObject({ code: 'INVALID_REQUEST', issues: [{ path: place }] })
})

test('a plain key named constructor is an ordinary unknown key', () => {
  expect(parse('{"constructor": 1}')).toBeDefined()
})
