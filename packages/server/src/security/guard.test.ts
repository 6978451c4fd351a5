import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPeople } from '../../testing/people.js'
import { registerErrors } from '../http/errors.js'
import { admit, type GuardedRequest, type GuardOptions, registerGuard } from './guard.js'
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

test('beyond loopback: the bound name and numeric addresses are known, another name could have been rebound', () => {
  expect(isKnownHost('trainer.example.org:8000', 'trainer.example.org')).toBe(true)
  expect(isKnownHost('192.168.0.7:8000', '0.0.0.0')).toBe(true)
  expect(isKnownHost('[fe80::1]', '::')).toBe(true)
  expect(isKnownHost('other.example.org', '0.0.0.0')).toBe(false)
})

test('a configured name is known, on loopback too, and no other', () => {
  expect(isKnownHost('Medloom.example.org:443', '127.0.0.1', ['medloom.example.org'])).toBe(true)
  expect(isKnownHost('other.example.org', '127.0.0.1', ['medloom.example.org'])).toBe(false)
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

const TOKEN = 'a-long-enough-token'
let local: GuardOptions
let guarded: GuardOptions
const opened: { destroy(): Promise<void> }[] = []
beforeAll(async () => {
  const [open, asking] = [await openPeople(null), await openPeople(TOKEN)]
  opened.push(open, asking)
  local = { host: '127.0.0.1', authentication: open.authentication }
  guarded = { host: '127.0.0.1', authentication: asking.authentication }
})
afterAll(async () => {
  for (const one of opened) await one.destroy()
})

const headers = { host: 'localhost:8000' }
const method = 'GET'
const routeOptions = { config: { access: 'read' as const } }
/** Error code for a route that requires a token with the role read, unless it specifies otherwise. */
const code = async (request: Partial<GuardedRequest>, options: GuardOptions) => {
  try {
    await admit({ method, headers, routeOptions, ...request }, options)
    return 'admitted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('host first, then origin, then token', async () => {
  expect(await code({ method, headers }, local)).toBe('admitted')
  expect(await code({ method, headers: { host: 'example.org', origin: 'null' } }, guarded)).toBe(
    'FORBIDDEN_HOST',
  )
  expect(await code({ method, headers: { ...headers, origin: 'null' } }, guarded)).toBe('FORBIDDEN_ORIGIN')
  expect(await code({ method, headers }, guarded)).toBe('UNAUTHORIZED')
})

test.each([
  ['Bearer a-long-enough-token', 'admitted'],
  ['bearer a-long-enough-token', 'admitted'],
  ['Bearer a-long-enough-toke', 'UNAUTHORIZED'],
  ['Bearer a-long-enough-token-', 'UNAUTHORIZED'],
  ['Basic a-long-enough-token', 'UNAUTHORIZED'],
  ['Bearer ', 'UNAUTHORIZED'],
])('Authorization: %s → %s', async (authorization, answer) =>
  expect(await code({ method, headers: { ...headers, authorization } }, guarded)).toBe(answer),
)

test('the token may be in the query of an upgrade, where browsers cannot set a header, and nowhere else', async () => {
  const query = { token: 'a-long-enough-token' }
  expect(await code({ method, headers, query, ws: true }, guarded)).toBe('admitted')
  expect(await code({ method, headers, query, ws: false }, guarded)).toBe('UNAUTHORIZED')
  expect(await code({ method, headers, query: { token: ['a'] }, ws: true }, guarded)).toBe('UNAUTHORIZED')
})

test('a public route needs no token, but the right host and origin, and is never a socket', async () => {
  const open = { method, headers, routeOptions: { config: { access: 'public' as const } } }
  expect(await code(open, guarded)).toBe('admitted')
  expect(await code({ ...open, ws: true }, guarded)).toBe('UNAUTHORIZED')
  expect(await code({ ...open, headers: { host: 'example.org' } }, guarded)).toBe('FORBIDDEN_HOST')
  expect(await code({ ...open, headers: { ...headers, origin: 'null' } }, guarded)).toBe('FORBIDDEN_ORIGIN')
})

describe('the cookie of a login', () => {
  const origin = 'http://localhost:8000'
  const cookie = `other=1; medloom_session=${newSession(TOKEN)}`
  const outcome = (request: object, sent: object = {}) =>
    code({ method, headers: { ...headers, cookie, ...sent }, ...request }, guarded)

  test('is valid for reading, such as images, and with the origin of the page for changes and sockets', async () => {
    for (const reading of ['GET', 'HEAD', 'OPTIONS'])
      expect(await outcome({ method: reading })).toBe('admitted')
    for (const request of [
      { method: 'POST' },
      { method: 'PUT' },
      { method: 'PATCH' },
      { method: 'DELETE' },
      { ws: true },
    ])
      expect(await outcome(request, { origin })).toBe('admitted')
  })

  test.each([{ method: 'POST' }, { method: 'DELETE' }, { ws: true }])(
    '%j is refused from another page, or without a page',
    async (request) => {
      for (const origin of [undefined, 'null', 'http://localhost:3000'])
        expect(await outcome(request, origin ? { origin } : {})).toBe('FORBIDDEN_ORIGIN')
    },
  )

  test('does not replace a wrong token', async () => {
    for (const cookie of [
      '',
      'medloom_session=',
      'medloom_session=a-long-enough-token',
      'medloom_session=1.x',
    ])
      expect(await outcome({}, { cookie })).toBe('UNAUTHORIZED')
    expect(await outcome({}, { cookie: `medloom_session=${newSession('another-long-token')}` })).toBe(
      'UNAUTHORIZED',
    )
  })

  test('does not require a page from a program that sends the token', async () => {
    expect(await outcome({ method: 'POST' }, { authorization: 'Bearer a-long-enough-token' })).toBe(
      'admitted',
    )
  })
})

test('a route without declared access is for administrators; an unknown address requires any token', async () => {
  const authentication = {
    ...guarded.authentication,
    isRequired: async () => true,
    actorOf: async () => [{ user: 'ann', role: 'run', token_id: null }, 'token'] as never,
  }
  const outcome = (request: object) => code(request, { host: '127.0.0.1', authentication })
  expect(await outcome({ routeOptions: { config: {} } })).toBe('FORBIDDEN')
  expect(await outcome({ routeOptions: { config: {} }, is404: true })).toBe('admitted')
  expect(await outcome({ routeOptions: { config: { access: 'run' } } })).toBe('admitted')
  expect(await outcome({ routeOptions: { config: { access: 'admin' } } })).toBe('FORBIDDEN')
})

test('a refusal is reported for Host and Origin of the request as well as for a missing token or role', async () => {
  const refused: string[] = []
  const app = Fastify()
  registerErrors(app)
  registerGuard(app, { ...guarded, refused: (_, { code }) => void refused.push(code) })
  app.get('/', { config: { access: 'read' } }, async () => ({}))
  const get = (sent: Record<string, string>) => app.inject({ url: '/', headers: { ...headers, ...sent } })
  await get({ authorization: `Bearer ${TOKEN}` })
  for (const sent of [{}, { host: 'example.org' }, { origin: 'null' }]) await get(sent)
  expect(refused).toEqual(['UNAUTHORIZED', 'FORBIDDEN_HOST', 'FORBIDDEN_ORIGIN'])
  await app.close()
})
