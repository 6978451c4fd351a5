import { createHmac } from 'node:crypto'
import { LIMITS } from '@medloom/contracts'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPeople } from '../../testing/people.js'
import { registerErrors } from '../http/errors.js'
import { sessionRoutes } from '../people/session.routes.js'
import { AddressLimit } from './address-limit.js'
import { isSession, newSession, sessionCookie, sessionOf } from './session.js'

const TOKEN = 'a-long-enough-token'
const DAY = 24 * 3600 * 1000

describe('the value of the cookie', () => {
  test('is valid for its time, for this token, and unchanged', () => {
    const value = newSession(TOKEN, 0)
    expect(isSession(value, TOKEN, 29 * DAY)).toBe(true)
    expect(isSession(value, TOKEN, 30 * DAY)).toBe(false)
    expect(isSession(value, 'another-long-token', 0)).toBe(false)
    const [, login, signature] = value.split('.')
    const others = [`9${value}`, `${value}x`, `1.${signature}`, `1.${login}.${signature}`, signature]
    for (const forged of [...others, '0.', '.', '', undefined])
      expect(isSession(forged, TOKEN, DAY)).toBe(false)
  })

  test('differs for each login, so that a logout ends only one', () => {
    expect(newSession(TOKEN, 0)).not.toBe(newSession(TOKEN, 0))
  })

  test('that an earlier version issued stays valid', () => {
    const signature = createHmac('sha256', TOKEN).update('medloom_session 0').digest('base64url')
    expect(isSession(`0.${signature}`, TOKEN, DAY)).toBe(true)
    expect(isSession(`1.${signature}`, TOKEN, DAY)).toBe(false)
  })

  test('does not contain the token, and is found among other cookies', () => {
    const value = newSession(TOKEN)
    expect(value).not.toContain(TOKEN)
    expect(sessionOf(`a=b; medloom_session=${value}; c=d`)).toBe(value)
    expect(sessionOf(`not_medloom_session=${value}`)).toBeUndefined()
  })

  test('is hidden from scripts and other sites, and limited to https over https', () => {
    expect(sessionCookie('1.x', { secure: false })).toBe(
      `medloom_session=1.x; Path=/; HttpOnly; SameSite=Strict; Max-Age=${LIMITS.session_seconds}`,
    )
    expect(sessionCookie(null, { secure: true })).toBe(
      'medloom_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure',
    )
  })
})

let people: Awaited<ReturnType<typeof openPeople>>
beforeAll(async () => {
  people = await openPeople(TOKEN)
})
afterAll(() => people.destroy())

/** A service whose only route is the login. */
function loginOf() {
  const { login } = sessionRoutes(people.authentication)
  const app = Fastify({ trustProxy: ['10.0.0.1'] })
  registerErrors(app)
  app.post<{ Body: { token: string } }>('/', async ({ body }, reply) => login({ body, reply } as never))
  return (token: string, headers = {}, remoteAddress = '10.0.0.1') =>
    app.inject({ method: 'POST', url: '/', payload: { token }, headers, remoteAddress })
}

test.each([
  [{ origin: 'https://medloom.example.org' }, true],
  [{ 'x-forwarded-proto': 'https' }, true],
  [{ origin: 'http://localhost:8000' }, false],
  [{}, false],
])('a login with %j gets a cookie for https only: %s', async (headers, secure) => {
  const cookie = (await loginOf()(TOKEN, headers)).headers['set-cookie']
  expect(String(cookie).endsWith('; Secure')).toBe(secure)
})

test('an untrusted proxy cannot report the protocol of the browser', async () => {
  const login = loginOf()
  const cookie = (await login(TOKEN, { 'x-forwarded-proto': 'https' }, '10.0.0.2')).headers['set-cookie']
  expect(String(cookie)).not.toContain('Secure')
})

test('failed logins count for the address named by a trusted proxy, and for an untrusted proxy itself', async () => {
  const login = loginOf()
  const from = (client: string, proxy: string) => login('guess', { 'x-forwarded-for': client }, proxy)
  for (let count = 0; count < LIMITS.failed_logins_per_minute; count++) await from('192.0.2.1', '10.0.0.1')
  expect((await from('192.0.2.1', '10.0.0.1')).json().code).toBe('LOGIN_LIMITED')
  expect((await from('192.0.2.2', '10.0.0.1')).json().code).toBe('LOGIN_FAILED')
  for (let count = 0; count < LIMITS.failed_logins_per_minute; count++)
    await from(`198.51.100.${count}`, '10.0.0.2')
  expect((await from('203.0.113.1', '10.0.0.2')).json().code).toBe('LOGIN_LIMITED')
})

test('after ten failed logins an address is refused for a minute, even with the right token; others are not', async () => {
  const login = loginOf()
  for (let count = 0; count < LIMITS.failed_logins_per_minute; count++)
    expect((await login(`guess-${count}`)).json().code).toBe('LOGIN_FAILED')
  const refused = await login(TOKEN)
  expect([refused.statusCode, refused.json().code, refused.headers['set-cookie']]).toEqual([
    401,
    'LOGIN_LIMITED',
    undefined,
  ])
  expect((await login(TOKEN, {}, '10.0.0.2')).statusCode).toBe(200)
})

describe('a limit of each address', () => {
  const fail = (failed: AddressLimit, address: string, times: number, now = 0) => {
    for (let count = 0; count < times; count++) failed.add(address, now)
  }

  test('expires after a minute', () => {
    const failed = new AddressLimit(10)
    fail(failed, 'a', 10)
    expect([failed.isLimited('a', 59_999), failed.isLimited('a', 60_000)]).toEqual([true, false])
    failed.add('a', 60_000)
    expect(failed.isLimited('a', 60_001)).toBe(false)
  })

  test('covers a limited number of addresses, the latest', () => {
    const failed = new AddressLimit(10)
    fail(failed, 'first', 10)
    for (let count = 0; count < 999; count++) failed.add(`other-${count}`, 0)
    expect(failed.isLimited('first', 1)).toBe(true)
    failed.add('one more', 0)
    expect(failed.isLimited('first', 1)).toBe(false)
  })
})
