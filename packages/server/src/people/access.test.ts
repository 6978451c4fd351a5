/** @module-tag service */

import { join } from 'node:path'
import {
  allows,
  fillPath,
  ROLES,
  ROUTES,
  type Role,
  type RouteDeclaration,
  SOCKETS,
} from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type PeopleService, startPeopleService } from '../../testing/people-service.js'
import { Place } from '../../testing/training/training-service.js'

const ID = '00000000-0000-4000-8000-000000000000'
let place: Place
let service: PeopleService
beforeAll(async () => {
  place = new Place()
  service = await startPeopleService(place, { python: join(place.path, 'no-python') })
  for (const role of ROLES) await service.create(role, role)
})
afterAll(async () => {
  await service.close()
  place.remove()
})

/** The status and code of a request with a meaningless body and ids: if it is admitted, it fails later or does no harm. */
async function send(route: RouteDeclaration, headers: Record<string, string>) {
  const path = fillPath(route.path, () => ID)
  const response = await fetch(service.url + path, {
    method: route.method,
    headers: { ...headers, ...(route.body ? { 'content-type': 'application/json' } : {}) },
    ...(route.body ? { body: '[]' } : {}),
  })
  const text = await response.text()
  const code = response.status >= 400 ? (JSON.parse(text) as { code: string }).code : undefined
  return { status: response.status, code }
}

describe.each(Object.entries(ROUTES) as [string, RouteDeclaration][])('%s', (_name, route) => {
  test.each(ROLES)('is allowed for permitted roles, with the role %s', async (role) => {
    const { status, code } = await send(route, service.as(role))
    if (route.access === 'attempt') expect([status, code]).toEqual([401, 'UNAUTHORIZED'])
    else if (allows(role, route.access)) expect([401, 403], `${status} ${code}`).not.toContain(status)
    else expect([status, code]).toEqual([403, 'FORBIDDEN'])
  })

  test('requires a token, or is public', async () => {
    for (const headers of [{}, { authorization: 'Bearer mdl_wrong' }]) {
      const { status, code } = await send(route, headers)
      if (route.access === 'public') expect(status).not.toBe(403)
      else expect([status, code]).toEqual([401, 'UNAUTHORIZED'])
    }
  })
})

describe.each(Object.entries(SOCKETS))('the socket %s', (_name, { path, access }) => {
  const address = () => service.url.replace('http', 'ws') + fillPath(path, () => ID)
  const statusFor = (headers: Record<string, string>, query = '') =>
    new Promise<number>((done) => {
      const socket = new WebSocket(address() + query, { headers })
      socket.on('error', () => undefined)
      socket.on('open', () => {
        socket.close()
        done(101)
      })
      socket.on('unexpected-response', (_, response) => done(response.statusCode ?? 0))
    })

  test.each<Role>(ROLES)('is for those who may, with the role %s', async (role) => {
    const status = await statusFor(service.as(role))
    if (allows(role, access)) expect([101, 404]).toContain(status)
    else expect(status).toBe(403)
    expect([101, 404]).toContain(await statusFor({}, `?token=${service.secretOf(role)}`))
  })

  test('asks for a token', async () => {
    expect(await statusFor({})).toBe(401)
    expect(await statusFor({}, '?token=mdl_wrong')).toBe(401)
  })
})

test('an address without a route does not exist for token holders, and requires a token from others', async () => {
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${service.url}/api/nothing`, { headers })).status
  expect([await status(service.as('read')), await status({})]).toEqual([404, 401])
})

test('the page and its description are public', async () => {
  for (const path of ['/openapi.json', '/docs']) expect((await fetch(service.url + path)).status).toBe(200)
})
