import { describe, expect, test } from 'vitest'
import { admit } from './guard.js'
import { isKnownHost, isLoopback, isSameOrigin } from './hosts.js'
import { newSession } from './session.js'

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
const method = 'GET'
const code = (act: () => void) => {
  try {
    act()
    return 'admitted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('host first, then origin, then token', () => {
  expect(code(() => admit({ method, headers }, local))).toBe('admitted')
  expect(code(() => admit({ method, headers: { host: 'example.org', origin: 'null' } }, guarded))).toBe(
    'FORBIDDEN_HOST',
  )
  expect(code(() => admit({ method, headers: { ...headers, origin: 'null' } }, guarded))).toBe(
    'FORBIDDEN_ORIGIN',
  )
  expect(code(() => admit({ method, headers }, guarded))).toBe('UNAUTHORIZED')
})

test.each([
  ['Bearer a-long-enough-token', 'admitted'],
  ['bearer a-long-enough-token', 'admitted'],
  ['Bearer a-long-enough-toke', 'UNAUTHORIZED'],
  ['Bearer a-long-enough-token-', 'UNAUTHORIZED'],
  ['Basic a-long-enough-token', 'UNAUTHORIZED'],
  ['Bearer ', 'UNAUTHORIZED'],
])('Authorization: %s → %s', (authorization, answer) =>
  expect(code(() => admit({ method, headers: { ...headers, authorization } }, guarded))).toBe(answer),
)

test('the token may stand in the query of an upgrade, where browsers cannot set a header, and nowhere else', () => {
  const query = { token: 'a-long-enough-token' }
  expect(code(() => admit({ method, headers, query, ws: true }, guarded))).toBe('admitted')
  expect(code(() => admit({ method, headers, query, ws: false }, guarded))).toBe('UNAUTHORIZED')
  expect(code(() => admit({ method, headers, query: { token: ['a'] }, ws: true }, guarded))).toBe(
    'UNAUTHORIZED',
  )
})

test('what is declared public needs no token, but the right host and origin, and is no way to a socket', () => {
  const open = { method, headers, routeOptions: { config: { public: true as const } } }
  expect(code(() => admit(open, guarded))).toBe('admitted')
  expect(code(() => admit({ ...open, ws: true }, guarded))).toBe('UNAUTHORIZED')
  expect(code(() => admit({ ...open, headers: { host: 'example.org' } }, guarded))).toBe('FORBIDDEN_HOST')
  expect(code(() => admit({ ...open, headers: { ...headers, origin: 'null' } }, guarded))).toBe(
    'FORBIDDEN_ORIGIN',
  )
})

describe('the cookie of a login', () => {
  const origin = 'http://localhost:8000'
  const cookie = `other=1; medloom_session=${newSession(guarded.token)}`
  const asked = (request: object, sent: object = {}) =>
    code(() => admit({ method, headers: { ...headers, cookie, ...sent }, ...request }, guarded))

  test('is good for reading, as of an image, and with the origin of the page for changes and sockets', () => {
    for (const reading of ['GET', 'HEAD', 'OPTIONS']) expect(asked({ method: reading })).toBe('admitted')
    for (const request of [
      { method: 'POST' },
      { method: 'PUT' },
      { method: 'PATCH' },
      { method: 'DELETE' },
      { ws: true },
    ])
      expect(asked(request, { origin })).toBe('admitted')
  })

  test.each([{ method: 'POST' }, { method: 'DELETE' }, { ws: true }])(
    '%j from another page, or from none that is named, is refused',
    (request) => {
      for (const origin of [undefined, 'null', 'http://localhost:3000'])
        expect(asked(request, origin ? { origin } : {})).toBe('FORBIDDEN_ORIGIN')
    },
  )

  test('does not take the place of a token where there is a wrong one or another', () => {
    for (const cookie of [
      '',
      'medloom_session=',
      'medloom_session=a-long-enough-token',
      'medloom_session=1.x',
    ])
      expect(asked({}, { cookie })).toBe('UNAUTHORIZED')
    expect(asked({}, { cookie: `medloom_session=${newSession('another-long-token')}` })).toBe('UNAUTHORIZED')
  })

  test('does not make a program that sends the token name a page', () => {
    expect(asked({ method: 'POST' }, { authorization: 'Bearer a-long-enough-token' })).toBe('admitted')
  })
})
