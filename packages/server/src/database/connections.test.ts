import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import type { Connection, Database } from './database.js'
import { Session } from './postgres/session.js'
import { ConnectionThread } from './sqlite/connection-thread.js'

describeEachDatabase((databases) => {
  let database: Database
  beforeEach(async () => {
    database = await databases.open()
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await database.destroy()
  })

  const insert = (id: string, on: Connection = database) =>
    on.insertInto('datasets').values({ dataset_id: id, path: id, record: '{}', created_at: '' }).execute()
  const ids = async (on: Connection = database) =>
    (await on.selectFrom('datasets').select('dataset_id').orderBy('dataset_id').execute()).map(
      ({ dataset_id }) => dataset_id,
    )

  test('read-only queries wait for no transaction, and see committed data', async () => {
    await insert('before')
    await database.transaction().execute(async (transaction) => {
      await insert('within', transaction)
      expect(await ids(database.reading)).toEqual(['before'])
    })
    expect(await ids(database.reading)).toEqual(['before', 'within'])
  })

  test.skipIf(databases.kind !== 'SQLite')('the read-only connection cannot write', async () => {
    await expect(insert('no', database.reading)).rejects.toThrow(/readonly/)
    expect(await ids()).toEqual([])
  })

  test('queries of a transaction that are issued together are sent together', async () => {
    const sent = [
      vi.spyOn(ConnectionThread.prototype, 'statement'),
      vi.spyOn(Session.prototype, 'query'),
    ].map(({ mock }) => mock.calls)
    await database.transaction().execute(async (transaction) => {
      await insert('first', transaction)
      const before = sent.flat().length
      const inserts = ['second', 'third', 'fourth'].map((id) => insert(id, transaction))
      expect(sent.flat().length - before).toBe(3)
      await Promise.all(inserts)
    })
    expect(await ids()).toEqual(['first', 'fourth', 'second', 'third'])
  })

  test('queries that are known before their transaction are sent with its commit, and all or none are stored', async () => {
    const sent = [vi.spyOn(ConnectionThread.prototype, 'commit'), vi.spyOn(Session.prototype, 'query')]
    const responded = vi.fn()
    await database.atOnceWithoutWaiting((transaction) =>
      ['first', 'second'].map((id) => insert(id, transaction).then(responded)),
    )
    const lastSent = Math.max(...sent.flatMap(({ mock }) => mock.invocationCallOrder))
    expect(lastSent).toBeLessThan(responded.mock.invocationCallOrder[0] ?? 0)
    const refused = database.atOnceWithoutWaiting((transaction) => [
      insert('third', transaction),
      insert('first', transaction),
    ])
    await expect(refused).rejects.toMatchObject({ kind: 'constraint' })
    expect(await ids()).toEqual(['first', 'second'])
  })

  test('a statement after the end of its transaction is refused', async () => {
    let late: Promise<unknown> | undefined
    await database.transaction().execute(async (transaction) => {
      await insert('first', transaction)
      setImmediate(() => {
        late = insert('late', transaction).catch((error) => error.message)
      })
    })
    await vi.waitUntil(() => late)
    expect(await late).toBe('the transaction has ended')
    expect(await ids()).toEqual(['first'])
  })

  test('a statement whose commit does not wait for the disk succeeds or fails as a whole', async () => {
    await insert('first', database.relaxed)
    await expect(insert('first', database.relaxed)).rejects.toMatchObject({ kind: 'constraint' })
    await insert('second')
    expect(await ids()).toEqual(['first', 'second'])
  })

  test.skipIf(databases.kind !== 'SQLite')('later commits wait for the disk again', async () => {
    await insert('first', database.relaxed)
    await expect(insert('first', database.relaxed)).rejects.toThrow()
    expect((await sql`PRAGMA synchronous`.execute(database)).rows).toEqual([{ synchronous: 2 }])
  })
})
