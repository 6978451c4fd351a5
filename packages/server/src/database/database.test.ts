/** @module-tag service */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type Kysely, sql } from 'kysely'
import Libsql from 'libsql'
import { expect, test } from 'vitest'
import { systemFault } from '../system-fault.js'
import { openDatabase } from './database.js'
import type { Tables } from './schema.js'

const file = () => join(mkdtempSync(join(tmpdir(), 'medloom-database-')), 'medloom.db')

test('an acknowledged change survives a power failure: write-ahead log, every commit synced, references enforced', async () => {
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

test('waits for a connection that holds the file briefly', async () => {
  const path = file()
  const other = new Libsql(path)
  other.exec('BEGIN EXCLUSIVE')
  setTimeout(() => other.exec('COMMIT'), 200)
  await (await openDatabase(path)).destroy()
  other.close()
})

test('a full database reports this, keeps its data, and continues once there is space', async () => {
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
  await expect(insert('large', 'x'.repeat(1_000_000))).rejects.toSatisfy(
    (error) => systemFault(error)?.code === 'DISK_FULL',
  )
  await pages(1_000_000)
  await insert('second', '{}')
  const rows = await database.selectFrom('datasets').select('dataset_id').orderBy('dataset_id').execute()
  expect(rows.map((row) => row.dataset_id)).toEqual(['first', 'second'])
  await database.destroy()
})

test('a commit that does not wait for the disk leaves later ones durable, even if it fails', async () => {
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
    database.withoutWaiting(async (transaction) => {
      seen.push(await synchronous(transaction))
      await insert(transaction, 'a')
    }),
    database.transaction().execute(async (transaction) => {
      seen.push(await synchronous(transaction))
      await insert(transaction, 'b')
    }),
  ])
  expect(seen).toEqual([1, 2])
  const failing = database.withoutWaiting(async (transaction) => {
    await insert(transaction, 'c')
    await insert(transaction, 'a')
  })
  await expect(failing).rejects.toThrow(/UNIQUE/)
  expect(await synchronous(database)).toBe(2)
  const rows = await database.selectFrom('datasets').select('dataset_id').execute()
  expect(rows.map((row) => row.dataset_id)).toEqual(['a', 'b'])
  await database.destroy()
})

test('a transaction that read before another process writes can still write', async () => {
  const path = file()
  const [database, other] = [await openDatabase(path), await openDatabase(path)]
  const count = async (connection: Kysely<Tables>) =>
    (await connection.selectFrom('counters').select('value').where('name', '=', 'n').executeTakeFirst())
      ?.value ?? 0
  const countUp = (connection: typeof database) =>
    connection.transaction().execute(async (transaction) => {
      const value = await count(transaction)
      if (value === 0) await transaction.insertInto('counters').values({ name: 'n', value: 1 }).execute()
      else
        await transaction
          .updateTable('counters')
          .set({ value: value + 1 })
          .where('name', '=', 'n')
          .execute()
    })
  await Promise.all(
    [database, other].flatMap((connection) => Array.from({ length: 20 }, () => countUp(connection))),
  )
  expect(await count(database)).toBe(40)
  for (const connection of [database, other]) await connection.destroy()
})

test('a full disk in the middle of a transaction fails the commit too, and stores nothing', async () => {
  const database = await openDatabase(file())
  const insert = (connection: Kysely<Tables>, id: string, record: string) =>
    connection.insertInto('datasets').values({ dataset_id: id, path: id, record, created_at: '' }).execute()
  await sql.raw('PRAGMA max_page_count = 1').execute(database)
  const swallowing = database.transaction().execute(async (transaction) => {
    await insert(transaction, 'large', 'x'.repeat(1_000_000)).catch(() => undefined)
    // SQLite has rolled back: without a transaction, this statement would be committed separately.
    await insert(transaction, 'small', '{}').catch(() => undefined)
  })
  await expect(swallowing).rejects.toSatisfy((error) => systemFault(error)?.code === 'DISK_FULL')
  await sql.raw('PRAGMA max_page_count = 1000000').execute(database)
  expect(await database.selectFrom('datasets').selectAll().execute()).toEqual([])
  await database.destroy()
})

test('no statement stops the event loop', async () => {
  const database = await openDatabase(file())
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  const slow = sql<{ sum: number }>`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT sum(i) AS sum FROM n
  `.execute(database)
  expect((await slow).rows).toEqual([{ sum: 4_500_001_500_000 }])
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(10)
  await database.destroy()
})

test('closing executes earlier requests, refuses later ones, and leaves one complete file', async () => {
  const path = file()
  const database = await openDatabase(path)
  const inserts = Array.from({ length: 50 }, (_, i) =>
    database
      .insertInto('datasets')
      .values({ dataset_id: `${i}`, path: '', record: '{}', created_at: '' })
      .execute(),
  )
  // Continue once the last statement is in progress.
  await Promise.race(inserts)
  await database.destroy()
  await Promise.all(inserts)
  await expect(database.selectFrom('datasets').selectAll().execute()).rejects.toThrow(/destroyed/)
  expect(readdirSync(dirname(path))).toEqual(['medloom.db'])
  const again = await openDatabase(path)
  expect(await again.selectFrom('datasets').select('dataset_id').execute()).toHaveLength(50)
  await again.destroy()
})

test('an unexpected end of the thread fails pending requests and is reported once', async () => {
  const lost: Error[] = []
  const [worker, database] = await withWorker(() =>
    openDatabase(file(), { onLost: (error) => void lost.push(error) }),
  )
  const waiting = database.selectFrom('jobs').selectAll().execute()
  const inTransaction = database.transaction().execute(async (transaction) => {
    await transaction.selectFrom('jobs').selectAll().execute()
    await worker.terminate()
    await transaction.selectFrom('jobs').selectAll().execute()
  })
  await waiting
  await expect(inTransaction).rejects.toThrow(/thread of the database is gone/)
  await expect(database.selectFrom('jobs').selectAll().execute()).rejects.toThrow(/gone/)
  expect(lost).toHaveLength(1)
  await database.destroy()
})

test('a process that loses its database ends with the error', async () => {
  const program = `
    import { openDatabase } from ${JSON.stringify(new URL('./database.ts', import.meta.url).href)}
    let thread
    process.once('worker', (worker) => { thread = worker })
    await openDatabase(${JSON.stringify(file())})
    thread.terminate()
    setInterval(() => {}, 1000)
  `
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const [code] = await once(child, 'close')
  expect(output).toContain('the thread of the database is gone')
  expect(code).not.toBe(0)
})

test('a file that cannot be opened, or cannot be durable, is reported at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-database-'))
  await expect(openDatabase(folder)).rejects.toThrow(/unable to open/i)
  // A database in memory has no write-ahead log, and nothing in it survives.
  await expect(openDatabase(':memory:')).rejects.toThrow('journal_mode is memory, expected wal (WAL)')
})

/** Returns the thread that is started during the work. */
async function withWorker<T>(work: () => Promise<T>): Promise<[Worker, T]> {
  const started = once(process, 'worker')
  const result = await work()
  const [worker] = await started
  return [worker, result]
}
