import type { CreatedToken, Role } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openReused } from '../../../testing/databases.js'
import { peopleOf } from '../../../testing/people.js'
import type { Database } from '../../database/database.js'
import type { People } from '../index.js'

let database: Database
let people: People
beforeEach(async () => {
  database = await openReused()
  people = peopleOf(database, 'the-token-of-the-service')
})
afterEach(async () => {
  people.close()
  await database.destroy()
})

const create = (role: Role, more: object = {}) =>
  people.routes.createToken({
    body: { user: 'ann', name: 'test', role, expires_in_days: null, ...more },
  } as never) as Promise<CreatedToken>
const mayRead = async (token: string) => {
  const [actor] = (await people.authentication.actorOf({ token, session: undefined })) ?? []
  const login = await people.authentication.logIn(token)
  const [byLogin] = (await people.authentication.actorOf({ token: undefined, session: login?.session })) ?? []
  expect(byLogin?.identifiers).toBe(actor?.identifiers)
  return actor?.identifiers
}

test.each([
  ['read', undefined, false],
  ['read', true, true],
  ['run', undefined, true],
  ['run', false, false],
  ['admin', undefined, true],
] as const)(
  'a token with the role %s and identifiers: %s may read identifiers: %s',
  async (role, given, may) => {
    const created = await create(role, given === undefined ? {} : { identifiers: given })
    expect([created.identifiers, await mayRead(created.secret)]).toEqual([may, may])
  },
)

test('a token of an earlier version may read identifiers as before', async () => {
  const { secret, token_id } = await create('read')
  const { identifiers: _, ...earlier } = await database
    .deleteFrom('tokens')
    .where('token_id', '=', token_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await database.insertInto('tokens').values(earlier).execute()
  expect(await mayRead(secret)).toBe(true)
})

test('a token for 90 days expires 90 days after it was created', async () => {
  const { created_at, expires_at } = await create('run', { expires_in_days: 90 })
  const expected = new Date(created_at)
  expected.setUTCDate(expected.getUTCDate() + 90)
  expect(expires_at).toBe(expected.toISOString())
  expect((await create('run')).expires_at).toBeNull()
})
