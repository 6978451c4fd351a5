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

  const insertInto = (on: Connection, id: string) =>
    on.insertInto('datasets').values({ dataset_id: id, path: id, record: '{}', created_at: '' })
  const insert = (id: string, on: Connection = database) => insertInto(on, id).execute()
  const insertion = (id: string) => insertInto(database, id).compile()
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
    const sent = [vi.spyOn(ConnectionThread.prototype, 'transaction'), vi.spyOn(Session.prototype, 'query')]
    const calls = () => sent.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    const stored = database.atOnceWithoutWaiting(['first', 'second'].map(insertion))
    // No response arrives in between.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    const sentAtOnce = calls()
    await stored
    expect(calls()).toBe(sentAtOnce)
    const refused = database.atOnceWithoutWaiting(['third', 'first'].map(insertion))
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
    // The record of each row is the setting with which it was written.
    const insertSetting = (id: string) =>
      sql`INSERT INTO datasets (dataset_id, path, record, created_at) SELECT ${id}, ${id}, CAST(synchronous AS TEXT), '' FROM pragma_synchronous`
    await database.atOnceWithoutWaiting([insertSetting('relaxed').compile(database)])
    await insertSetting('alone').execute(database)
    await database.atOnceWithoutWaiting([insertSetting('relaxed again').compile(database)])
    await ids()
    await database.transaction().execute((transaction) => insertSetting('transaction').execute(transaction))
    const rows = await database.selectFrom('datasets').select(['dataset_id', 'record']).execute()
    expect(Object.fromEntries(rows.map(({ dataset_id, record }) => [dataset_id, record]))).toEqual({
      first: '{}',
      relaxed: '1',
      alone: '2',
      'relaxed again': '1',
      transaction: '2',
    })
  })
})
