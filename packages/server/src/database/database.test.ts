import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import Libsql from 'libsql'
import { expect, test } from 'vitest'
import { isDiskFull } from '../storage/files.js'
import { openDatabase, withoutWaiting } from './database.js'
import { MIGRATIONS, type Tables } from './schema.js'

const file = () => join(mkdtempSync(join(tmpdir(), 'medloom-database-')), 'medloom.db')

test('an answer survives a power cut: write-ahead log, every commit synced, references enforced', async () => {
  const database = await openDatabase(file())
  const pragma = async (name: string) =>
    Object.values((await sql.raw(`PRAGMA ${name}`).execute(database)).rows[0] as object)[0]
  expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual([
    'wal',
    2,
    1,
  ])
  const orphan = database
    .insertInto('models')
    .values({ model_id: 'm', job_id: 'none', record: '{}', created_at: '' })
    .execute()
  await expect(orphan).rejects.toThrow(/FOREIGN KEY/)
  await database.destroy()
})

test('opening again applies each migration once and keeps what is there', async () => {
  const path = file()
  for (let i = 0; i < 3; i++) {
    const database = await openDatabase(path)
    const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(database)
    expect(rows.map((row) => row.name)).toEqual(MIGRATIONS.map((migration) => migration.name))
    await database.destroy()
  }
})

test('a migration that fails leaves nothing of itself', async () => {
  const path = file()
  const other = new Libsql(path)
  // The last statement of the first migration meets a table that is in its way.
  other.exec('CREATE TABLE idempotency (x)')
  other.close()
  await expect(openDatabase(path)).rejects.toThrow(/already exists/)
  const after = new Libsql(path)
  const tables = after.prepare("SELECT name FROM sqlite_master WHERE name = 'jobs'").all()
  after.close()
  expect(tables).toEqual([])
})

test('a database that is full says so, keeps what it has, and goes on once there is room', async () => {
  const database = await openDatabase(file())
  const pages = (most: number) => sql.raw(`PRAGMA max_page_count = ${most}`).execute(database)
  const insert = (id: string, record: string) =>
    database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('datasets')
        .values({ dataset_id: id, path: id, record, created_at: '' })
        .execute()
    })
  await insert('first', '{}')
  await pages(1)
  await expect(insert('large', 'x'.repeat(1_000_000))).rejects.toSatisfy(isDiskFull)
  await pages(1_000_000)
  await insert('second', '{}')
  const rows = await database.selectFrom('datasets').select('dataset_id').orderBy('dataset_id').execute()
  expect(rows.map((row) => row.dataset_id)).toEqual(['first', 'second'])
  await database.destroy()
})

test('a commit that does not wait for the disk leaves the next ones as durable as before, also when it fails', async () => {
  const database = await openDatabase(file())
  const synchronous = async (connection: Kysely<Tables>) =>
    (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(connection)).rows[0]?.synchronous
  const insert = (connection: Kysely<Tables>, id: string) =>
    connection
      .insertInto('datasets')
      .values({ dataset_id: id, path: id, record: '{}', created_at: '' })
      .execute()
  const seen: (number | undefined)[] = []
  await Promise.all([
    withoutWaiting(database, async (transaction) => {
      seen.push(await synchronous(transaction))
      await insert(transaction, 'a')
    }),
    database.transaction().execute(async (transaction) => {
      seen.push(await synchronous(transaction))
      await insert(transaction, 'b')
    }),
  ])
  expect(seen).toEqual([1, 2])
  const failing = withoutWaiting(database, async (transaction) => {
    await insert(transaction, 'c')
    await insert(transaction, 'a')
  })
  await expect(failing).rejects.toThrow(/UNIQUE/)
  expect(await synchronous(database)).toBe(2)
  const rows = await database.selectFrom('datasets').select('dataset_id').execute()
  expect(rows.map((row) => row.dataset_id)).toEqual(['a', 'b'])
  await database.destroy()
})

test('statements outside of a transaction wait for it: one connection writes', async () => {
  const database = await openDatabase(file())
  const order: string[] = []
  const insert = (connection: typeof database, id: string) =>
    connection
      .insertInto('datasets')
      .values({ dataset_id: id, path: id, record: '{}', created_at: '' })
      .execute()
      .then(() => order.push(id))
  await Promise.all([
    database.transaction().execute(async (transaction) => {
      await insert(transaction, 'a')
      await new Promise((resolve) => setTimeout(resolve, 30))
      await insert(transaction, 'b')
    }),
    insert(database, 'c'),
  ])
  expect(order).toEqual(['a', 'b', 'c'])
  await database.destroy()
})
