import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allows, ROLES, ROUTES, type Role, type RouteDeclaration, type RouteName } from '@medloom/contracts'
import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeOnSqlite } from '../../testing/databases.js'
import { insertOwned } from '../../testing/owned-things.js'
import type { Database } from '../database/database.js'
import { Announcements } from '../files/announcements.js'
import type { Operations } from '../http/bind.js'
import type { Actor } from '../security/actor.js'
import type { Authentication } from '../security/authentication.js'
import { admit } from '../security/guard.js'
import { AuditRepository } from './audit/audit.repository.js'
import { AuditLog } from './audit/audit-log.js'
import { createOperations } from './operations.js'
import { OwnersRepository } from './owners.repository.js'

const OWNERS = ['ann', 'bob', null]
const ME = 'ann'
const routes = Object.entries(ROUTES) as [RouteName, RouteDeclaration][]

describeOnSqlite((databases) => {
  let database: Database
  let operations: Operations
  const incoming = mkdtempSync(join(tmpdir(), 'medloom-incoming-'))
  const things = new Map<string | null, Awaited<ReturnType<typeof insertOwned>>>()
  beforeAll(async () => {
    database = await databases.open()
    const announcements = new Announcements(incoming)
    for (const owner of OWNERS) things.set(owner, await insertOwned(database, announcements, owner))
    const audit = new AuditLog(new AuditRepository(database), pino({ level: 'silent' }), 1)
    operations = createOperations(new OwnersRepository(database, announcements), audit, {
      isGood: async () => true,
    })
  })
  afterAll(async () => {
    await database.destroy()
    rmSync(incoming, { recursive: true })
  })

  /** Error code of a route that is requested with this role, for an item of this owner. */
  async function refusalOf(
    name: RouteName,
    role: Role,
    owner: string | null,
    thing?: string,
  ): Promise<string | null> {
    const route: RouteDeclaration = ROUTES[name]
    const actor: Actor = { user: ME, role, identifiers: true, token_id: null }
    const [parameter] = Object.keys(route.params?.shape ?? {})
    const id = thing ?? things.get(owner)?.[route.owned || 'job'] ?? expect.fail()
    const params = parameter === undefined ? {} : { [parameter]: id }
    return codeOf(name, actor, { params })
  }

  /** Error code of the request of an actor. */
  async function codeOf(
    name: RouteName,
    actor: Actor,
    { query = {}, params, path = '' }: { query?: object; params: Record<string, string>; path?: string },
  ): Promise<string | null> {
    const { method, access }: RouteDeclaration = ROUTES[name]
    const routeOptions = { config: { access, operation: name } }
    const fields = {
      method,
      headers: { host: 'localhost' },
      routeOptions,
      query,
      params: { ...params, '*': path },
    }
    const request = { ...fields, actor, callerAddress: '127.0.0.1', id: 'r' } as unknown as FastifyRequest
    try {
      await admit(fields, { host: '127.0.0.1', authentication: showing(actor) })
      return await operations.carryOut({ name, request, params }, async () => null)
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  describe.each(routes)('%s', (name, route) => {
    test('is allowed for its role, and on an owned item for the owner and administrators', async () => {
      for (const role of ROLES)
        for (const owner of OWNERS) {
          const mayUse = !route.owned || role === 'admin' || owner === ME
          const isForAttempts = route.access === 'attempt'
          const expected = isForAttempts || (allows(role, route.access) && mayUse) ? null : 'FORBIDDEN'
          expect(await refusalOf(name, role, owner), `${role}, of ${owner}`).toBe(expected)
        }
    })
  })

  describe.each(routes.filter(([, { identifiers }]) => identifiers))('%s', (name, { params, ...route }) => {
    const ids = Object.fromEntries(Object.keys(params?.shape ?? {}).map((field) => [field, `the ${field}`]))
    const requested = { params: ids, query: { identifiers: 'true' }, path: 'predictions.csv' }
    const reader = (identifiers: boolean): Actor => ({
      ...{ user: `reader of ${name}`, role: route.access as Role, identifiers, token_id: null },
    })
    const entries = async () =>
      (await new AuditRepository(database).list({ user: reader(true).user }, 10, undefined)).items

    test('returns values that identify patients only to permitted tokens, and logs the access', async () => {
      const other = { params: ids, path: 'report.html' }
      expect(await codeOf(name, reader(false), requested)).toBe('FORBIDDEN')
      const isOptional = !route.identifiers?.({ query: {}, path: other.path })
      if (isOptional) expect(await codeOf(name, reader(false), other)).toBeNull()
      // A change is logged in any case.
      expect(await entries()).toHaveLength(isOptional && route.changes ? 1 : 0)
      expect(await codeOf(name, reader(true), requested)).toBeNull()
      const { path: _, ...rest } = ids
      expect((await entries())[0]).toMatchObject({ operation: name, ids: rest, outcome: 200 })
    })
  })

  test('a missing item is reported by the route itself', async () => {
    for (const [name, { owned }] of routes)
      if (owned) expect(await refusalOf(name, 'run', 'bob', 'none'), name).toBeNull()
  })
})

/** Authenticates every request as this user. */
function showing(actor: Actor): Authentication {
  return {
    isRequired: async () => true,
    actorOf: async () => [actor, 'token'],
    logIn: async () => null,
    logOut: async () => undefined,
  }
}
