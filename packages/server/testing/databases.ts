import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { Database, type DatabaseOptions, type DatabasePlace, openDatabase } from '../src/database/database.js'
import { migratedFile } from './migrated-file.js'
import { createDatabase, emptyTables, HAS_POSTGRES } from './postgres-server.js'
import { takeConnection } from './sqlite-connections.js'

/** Creates databases for tests, and removes them after the last one. */
export interface TestDatabases {
  readonly kind: 'SQLite' | 'PostgreSQL'
  /** The place of a database without tables. */
  empty(): Promise<DatabasePlace>
  /** The place of a database with the current tables. */
  place(): Promise<DatabasePlace>
  /** A new, open database. */
  open(options?: DatabaseOptions): Promise<Database>
}

/** Defines tests for each kind of database; those that need a server are skipped if there is none. */
export function describeEachDatabase(define: (databases: TestDatabases) => void): void {
  describe('on SQLite', () => define(sqlite()))
  describeWithServer(() => define(postgres()))
}

/** A single database for tests that do not depend on the kind of database. */
export function describeOnSqlite(define: (databases: TestDatabases) => void): void {
  describe('on SQLite', () => define(sqlite()))
}

/** Tests of features that only a database server has. */
export function describeOnPostgres(define: (databases: TestDatabases) => void): void {
  describeWithServer(() => define(postgres()))
}

function describeWithServer(define: () => void): void {
  describe.skipIf(!HAS_POSTGRES())('on PostgreSQL', define)
}

function sqlite(): TestDatabases {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  const empty = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medloom-database-'))
    folders.push(folder)
    return { file: join(folder, 'medloom.db') }
  }
  const place = async () => ({ file: await migratedFile((await empty()).file) })
  return {
    kind: 'SQLite',
    empty,
    place,
    open: async (options) => (options ? openDatabase(await place(), options) : openReused()),
  }
}

/** An SQLite database without rows, on a connection that an earlier test may have used. */
export async function openReused(): Promise<Database> {
  const database = new Database(await takeConnection())
  await database.warmUp()
  return database
}

/**
 * Databases with the current tables that no test uses. Creating and dropping a database makes the server write all of its data to the disk.
 */
const free: string[] = []

function postgres(): TestDatabases {
  const taken: string[] = []
  const place = async () => {
    const url = await takeDatabase()
    taken.push(url)
    return { url }
  }
  afterAll(() => {
    free.push(...taken)
  })
  return {
    kind: 'PostgreSQL',
    empty: async () => ({ url: await createDatabase() }),
    place,
    async open(options) {
      const { url } = await place()
      const database = await openDatabase({ url }, options)
      const destroy = database.destroy.bind(database)
      database.destroy = async () => {
        await destroy()
        free.push(...taken.splice(taken.indexOf(url), 1))
      }
      return database
    },
  }
}

/** A database without rows: new, or left by another test. */
async function takeDatabase(): Promise<string> {
  const reusable = free.pop()
  if (reusable !== undefined) {
    await emptyTables(reusable)
    return reusable
  }
  const url = await createDatabase()
  await (await openDatabase({ url })).destroy()
  return url
}
