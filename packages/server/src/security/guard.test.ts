import { expect, test } from 'vitest'
import { admit } from './guard.js'
import { isKnownHost, isLoopback, isSameOrigin } from './hosts.js'

test.each(['localhost', '127.0.0.1', '127.8.9.10', '::1'])('%s is loopback', (host) =>
  expect(isLoopback(host)).toBe(true),
)
test.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', '127.example.org', 'localhost.example.org'])(
  '%s is not loopback',
  (host) => expect(isLoopback(host)).toBe(false),
)

test.each(['localhost', 'localhost:8000', 'LOCALHOST', '127.0.0.1:9000', '[::1]:8000'])(
  'on loopback the Host %s is known',
  (header) => expect(isKnownHost(header, '127.0.0.1')).toBe(true),
)
test.each([
  undefined,
  '',
  'example.org',
  'example.org:8000',
  '192.168.0.7',
  'localhost.example.org',
  'localhost@example.org',
  'localhost:8000:9000',
  'localhost/x',
  'localhost, example.org',
  '[::1',
])('on loopback the Host %s is unknown', (header) => expect(isKnownHost(header, '127.0.0.1')).toBe(false))

test('beyond loopback: the bound name and plain addresses are known, another name could have been rebound', () => {
  expect(isKnownHost('trainer.example.org:8000', 'trainer.example.org')).toBe(true)
  expect(isKnownHost('192.168.0.7:8000', '0.0.0.0')).toBe(true)
  expect(isKnownHost('[fe80::1]', '::')).toBe(true)
  expect(isKnownHost('other.example.org', '0.0.0.0')).toBe(false)
})

test.each([
  ['http://localhost:8000', 'localhost:8000', true],
  ['http://localhost', 'localhost:80', true],
  ['http://127.0.0.1:8000', 'localhost:8000', false],
  ['http://localhost:3000', 'localhost:8000', false],
  ['null', 'localhost:8000', false],
  ['', 'localhost:8000', false],
  ['file://localhost', 'localhost', false],
  ['http://localhost.example.org:8000', 'localhost:8000', false],
])('Origin %s for Host %s: same %s', (origin, host, same) => expect(isSameOrigin(origin, host)).toBe(same))

const local = { host: '127.0.0.1', token: null }
const guarded = { host: '127.0.0.1', token: 'a-long-enough-token' }
const headers = { host: 'localhost:8000' }
const code = (act: () => void) => {
  try {
    act()
    return 'admitted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('host first, then origin, then token', () => {
  expect(code(() => admit({ headers }, local))).toBe('admitted')
  expect(code(() => admit({ headers: { host: 'example.org', origin: 'null' } }, guarded))).toBe(
    'FORBIDDEN_HOST',
  )
  expect(code(() => admit({ headers: { ...headers, origin: 'null' } }, guarded))).toBe('FORBIDDEN_ORIGIN')
  expect(code(() => admit({ headers }, guarded))).toBe('UNAUTHORIZED')
})

test.each([
  ['Bearer a-long-enough-token', 'admitted'],
  ['bearer a-long-enough-token', 'admitted'],
  ['Bearer a-long-enough-toke', 'UNAUTHORIZED'],
  ['Bearer a-long-enough-token-', 'UNAUTHORIZED'],
  ['Basic a-long-enough-token', 'UNAUTHORIZED'],
  ['Bearer ', 'UNAUTHORIZED'],
])('Authorization: %s → %s', (authorization, answer) =>
  expect(code(() => admit({ headers: { ...headers, authorization } }, guarded))).toBe(answer),
)

test('the token may stand in the query of an upgrade, where browsers cannot set a header, and nowhere else', () => {
  const query = { token: 'a-long-enough-token' }
  expect(code(() => admit({ headers, query, ws: true }, guarded))).toBe('admitted')
  expect(code(() => admit({ headers, query, ws: false }, guarded))).toBe('UNAUTHORIZED')
  expect(code(() => admit({ headers, query: { token: ['a'] }, ws: true }, guarded))).toBe('UNAUTHORIZED')
})

test('what is declared public needs no token, but the right host and origin, and is no way to a socket', () => {
  const open = { headers, routeOptions: { config: { public: true as const } } }
  expect(code(() => admit(open, guarded))).toBe('admitted')
  expect(code(() => admit({ ...open, ws: true }, guarded))).toBe('UNAUTHORIZED')
  expect(code(() => admit({ ...open, headers: { host: 'example.org' } }, guarded))).toBe('FORBIDDEN_HOST')
  expect(code(() => admit({ ...open, headers: { ...headers, origin: 'null' } }, guarded))).toBe(
    'FORBIDDEN_ORIGIN',
  )
})
