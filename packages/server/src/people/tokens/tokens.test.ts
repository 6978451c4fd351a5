/** @module-tag service */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session, Token } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.js'
import { openSocket, type PeopleService, startPeopleService } from '../../../testing/people-service.js'
import { Place, startTrainingService } from '../../../testing/training/training-service.js'

// One service for all tests, so each test has its own users.
let place: Place
let service: PeopleService
beforeAll(async () => {
  place = new Place()
  service = await startPeopleService(place)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

const logIn = async (token: string) => {
  const response = await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { status: response.status, cookie, body: (await response.json()) as Session }
}
const models = async (headers: Record<string, string>) =>
  (await fetch(`${service.url}/api/models`, { headers })).status

test('a service without tokens requires none; from the first one on it does, even after a restart', async () => {
  const open = new Place()
  const { send, close, url } = await startTrainingService(open)
  const session = async () => (await send<Session>('GET', '/api/session')).body
  expect(await session()).toEqual({
    token_required: false,
    authenticated: true,
    user: 'local',
    role: 'admin',
    identifiers: true,
    token_id: null,
  })
  const first = { user: 'ann', role: 'run', name: 'x' }
  expect((await send<{ code: string }>('POST', '/api/tokens', first)).body.code).toBe('FIRST_TOKEN_ADMIN')
  expect((await send('POST', '/api/tokens', { ...first, role: 'admin' })).status).toBe(200)
  expect((await fetch(`${url}/api/models`)).status).toBe(401)
  await close()
  const again = await startTrainingService(open)
  expect((await fetch(`${again.url}/api/models`)).status).toBe(401)
  await again.close()
  open.remove()
})

test('a revoked token is refused at once: its requests, its logins, and its sockets, which are closed with 4401', async () => {
  const { token_id, secret } = await service.create('ann', 'run')
  const { cookie, body } = await logIn(secret)
  expect(body).toMatchObject({ authenticated: true, user: 'ann', role: 'run', token_id })
  const byToken = await openSocket(service, service.as('ann'))
  const byLogin = await openSocket(service, { cookie, origin: service.url })
  const other = await openSocket(service, service.as('root'))
  expect([await models(service.as('ann')), await models({ cookie })]).toEqual([200, 200])

  expect((await service.sendAs<Token>('root', 'DELETE', `/api/tokens/${token_id}`)).body).toMatchObject({
    token_id,
    revoked_at: expect.any(String),
  })
  expect(await Promise.all([byToken.closed, byLogin.closed])).toEqual([4401, 4401])
  expect([await models(service.as('ann')), await models({ cookie })]).toEqual([401, 401])
  expect((await logIn(secret)).status).toBe(401)
  expect(other.socket.readyState).toBe(other.socket.OPEN)
  other.socket.close()
  const again = await service.sendAs('root', 'DELETE', `/api/tokens/${token_id}`)
  expect([again.status, again.body.code]).toEqual([400, 'TOKEN_REVOKED'])
})

test('the last administrator token cannot be revoked, unless the service was started with a token', async () => {
  const place = new Place()
  const service = await startPeopleService(place)
  const revoke = async (headers: Record<string, string>, tokenId: string) => {
    const { status, body } = await service.send<{ code?: string }>(
      'DELETE',
      `/api/tokens/${tokenId}`,
      undefined,
      headers,
    )
    return [status, body.code]
  }
  const { body } = await service.sendAs<{ tokens: Token[] }>('root', 'GET', '/api/tokens')
  const [first = expect.fail()] = body.tokens
  const models = async (headers: Record<string, string>) =>
    (await fetch(`${service.url}/api/models`, { headers })).status
  const expired = await service.create('old', 'admin', { expires_in_days: 1 })
  await service.database
    .updateTable('tokens')
    .set({ expires_at: new Date(Date.now() - 1).toISOString() })
    .where('token_id', '=', expired.token_id)
    .execute()
  expect(await revoke(service.as('root'), first.token_id)).toEqual([400, 'LAST_ADMIN_TOKEN'])
  expect(await models(service.as('root'))).toBe(200)
  expect(await revoke(service.as('root'), expired.token_id)).toEqual([200, undefined])

  await service.create('second', 'admin')
  expect(await revoke(service.as('root'), first.token_id)).toEqual([200, undefined])
  const [last = expect.fail()] = (await service.sendAs<{ tokens: Token[] }>('second', 'GET', '/api/tokens'))
    .body.tokens
  expect(await revoke(service.as('second'), last.token_id)).toEqual([400, 'LAST_ADMIN_TOKEN'])

  await service.close()
  const tokenFile = join(place.path, 'service.token')
  writeFileSync(tokenFile, '0123456789-of-the-service\n', { mode: 0o600 })
  const again = await startTrainingService(place, { tokenFile })
  const revoked = await again.send('DELETE', `/api/tokens/${last.token_id}`, undefined, service.as('second'))
  expect(revoked.status).toBe(200)
  await again.close()
  place.remove()
})

test('another token of the same user stays valid', async () => {
  const { token_id } = await service.create('bea', 'read')
  const { secret } = await service.create('bea', 'run')
  await service.sendAs('root', 'DELETE', `/api/tokens/${token_id}`)
  expect(await models({ authorization: `Bearer ${secret}` })).toBe(200)
})

test('a token is valid until it expires, and so is a socket that it opened', async () => {
  const { token_id, secret } = await service.create('cem', 'run', { expires_in_days: 1 })
  const { cookie } = await logIn(secret)
  const { closed } = await openSocket(service, service.as('cem'))
  await service.database
    .updateTable('tokens')
    .set({ expires_at: new Date(Date.now() - 1).toISOString() })
    .where('token_id', '=', token_id)
    .execute()
  expect([await models(service.as('cem')), await models({ cookie })]).toEqual([401, 401])
  expect(await closed).toBe(4401)
})

test('a login ends with the logout, whoever has a copy of its cookie', async () => {
  const { cookie } = await logIn(service.secretOf('root'))
  expect(await models({ cookie })).toBe(200)
  await fetch(`${service.url}/api/logout`, { method: 'POST', headers: { cookie, origin: service.url } })
  expect(await models({ cookie })).toBe(401)
})

test('tokens and logins are stored as digests, which no list contains', async () => {
  const { cookie } = await logIn(service.secretOf('root'))
  const { body } = await service.sendAs('root', 'GET', '/api/tokens')
  const contents = ['medloom.db', 'medloom.db-wal'].map((name) =>
    readFileSync(join(place.dataDir, name), 'latin1'),
  )
  for (const secret of [service.secretOf('root'), cookie.split('=')[1] ?? 'none']) {
    expect(secret.length).toBeGreaterThan(40)
    for (const text of [...contents, JSON.stringify(body)]) expect(text).not.toContain(secret)
  }
})

test('the last use of a token is known within a minute', async () => {
  const { token_id, secret } = await service.create('dan', 'read')
  const token = async () => {
    const { body } = await service.sendAs<{ tokens: Token[] }>('root', 'GET', '/api/tokens')
    return body.tokens.find((one) => one.token_id === token_id)
  }
  const before = await token()
  expect(before).toMatchObject({ last_used_at: null })
  expect(await models({ authorization: `Bearer ${secret}` })).toBe(200)
  const used = await eventually(async () => (await token())?.last_used_at)
  expect(Date.parse(used)).toBeGreaterThan(Date.parse(before?.created_at ?? '') - 1000)
})

describe('creating tokens', () => {
  test.each(['read', 'run'] as const)(
    'is refused for a user with the role %s, with the required role',
    async (role) => {
      const user = `with-${role}`
      await service.create(user, role)
      const { status, body } = await service.sendAs(user, 'POST', '/api/tokens', {
        user,
        role: 'admin',
        name: 'mine',
      })
      expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
      expect(body.error).toContain('role admin')
    },
  )

  test.each(['local', 'service', 'me', 'Ann', '', 'a b'])('is refused for the user %j', async (user) => {
    const { status } = await service.sendAs('root', 'POST', '/api/tokens', { user, role: 'run', name: 'x' })
    expect(status).toBe(400)
  })
})
