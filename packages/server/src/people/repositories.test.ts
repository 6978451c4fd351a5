import { OWNED } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import type { Database } from '../database/database.js'
import { Announcements } from '../files/announcements.js'
import { OwnersRepository } from './owners.repository.js'
import { TokensRepository } from './tokens/tokens.repository.js'
import { UsersRepository } from './users.repository.js'

describeEachDatabase((databases) => {
  let database: Database
  let tokens: TokensRepository
  let users: UsersRepository
  beforeEach(async () => {
    database = await databases.open()
    tokens = new TokensRepository(database)
    users = new UsersRepository(database)
  })
  afterEach(() => database.destroy())

  const [PAST, NOW, LATER] = [
    '2026-01-01T00:00:00.000Z',
    '2026-02-01T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
  ]
  const add = (
    token_id: string,
    more: { role?: 'read' | 'run' | 'admin'; expires_at?: string | null } = {},
  ) =>
    tokens.transaction(async (transaction) => {
      await users.ensure('ann', PAST, transaction)
      const { role = 'run', expires_at = null } = more
      const token = {
        token_id,
        name: 'x',
        user: 'ann',
        role,
        identifiers: true,
        created_at: PAST,
        expires_at,
      }
      await tokens.insert(token, `digest of ${token_id}`, transaction)
    })

  test('a token is found by its digest while it is valid', async () => {
    expect(await tokens.exists()).toBe(false)
    await add('a')
    await add('b', { expires_at: LATER })
    expect(await tokens.exists()).toBe(true)
    const actor = { token_id: 'b', user: 'ann', role: 'run', identifiers: true }
    expect(await tokens.actorByToken('digest of b', NOW)).toEqual(actor)
    expect(await tokens.actorByToken('digest of b', LATER)).toBeUndefined()
    expect(await tokens.actorByToken('digest', NOW)).toBeUndefined()
    expect(await tokens.good(['a', 'b', 'c'], LATER)).toEqual(new Set(['a']))
    expect((await tokens.list(1, undefined)).items).toMatchObject([{ token_id: 'b' }])
  })

  test('a login is valid as long as its token, and until it expires itself', async () => {
    await add('a')
    await tokens.addSession({ digest: 's', token_id: 'a', expires_at: LATER }, NOW)
    expect(await tokens.actorBySession('s', NOW)).toMatchObject({ token_id: 'a' })
    expect(await tokens.actorBySession('s', LATER)).toBeUndefined()
    expect(await tokens.transaction((transaction) => tokens.revoke('a', NOW, transaction))).toBe(true)
    expect(await tokens.actorBySession('s', NOW)).toBeUndefined()
    expect(await tokens.transaction((transaction) => tokens.revoke('a', LATER, transaction))).toBe(false)
    expect(await tokens.find('a')).toMatchObject({ revoked_at: NOW })
  })

  test('a user has the highest role of their valid tokens, and quotas', async () => {
    await add('a', { role: 'read' })
    await add('b', { role: 'admin', expires_at: NOW })
    expect(await users.list(PAST)).toMatchObject([{ user: 'ann', role: 'admin', max_running_jobs: null }])
    expect(await users.list(LATER)).toMatchObject([
      { user: 'ann', role: 'read', running_jobs: 0, queued_jobs: 0 },
    ])
    expect(await users.setQuotas('ann', { max_running_jobs: 2, max_queued_jobs: 7 })).toBe(true)
    expect(await users.setQuotas('bob', { max_running_jobs: 2, max_queued_jobs: 7 })).toBe(false)
    expect(await users.runningQuotas()).toEqual(new Map([['ann', 2]]))
    expect(await users.queueQuota('ann', 5, database)).toEqual({ most: 7, waiting: 0, isOwn: true })
    expect(await users.countRunning(['ann'])).toEqual(new Map())
  })

  test('one of several users has a share of the queue, unless they have a quota', async () => {
    await add('a')
    expect([await users.hasOthers('ann'), await users.hasOthers('bob')]).toEqual([false, true])
    expect(await users.queueQuota('ann', 5, database)).toBeNull()
    await tokens.transaction((transaction) => users.ensure('bob', PAST, transaction))
    expect(await users.queueQuota('ann', 5, database)).toEqual({ most: 5, waiting: 0, isOwn: false })
    // The user of the token file is not listed among the users.
    expect(await users.queueQuota('service', 5, database)).toEqual({ most: 5, waiting: 0, isOwn: false })
    await users.setQuotas('ann', { max_running_jobs: null, max_queued_jobs: 9 })
    expect(await users.queueQuota('ann', 5, database)).toEqual({ most: 9, waiting: 0, isOwn: true })
  })

  test('a missing item has no owner; an existing one may have none', async () => {
    const owners = new OwnersRepository(database, new Announcements('/none'))
    for (const kind of OWNED) expect(await owners.find(kind, 'none'), kind).toBeUndefined()
    const dataset = { path: '/a', record: '{}', created_at: PAST }
    await database
      .insertInto('datasets')
      .values({ ...dataset, dataset_id: 'd' })
      .execute()
    await database
      .insertInto('datasets')
      .values({ ...dataset, path: '/b', dataset_id: 'e', owner: 'ann' })
      .execute()
    expect([await owners.find('dataset', 'd'), await owners.find('dataset', 'e')]).toEqual([null, 'ann'])
  })
})
