import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import type { DatabaseConnection } from '../src/database/dialect.js'
import { sqliteDialect } from '../src/database/sqlite/sqlite-dialect.js'
import { migratedFile } from './migrated-file.js'

/** Connections to empty files with the current tables that no test uses. Starting their threads takes longer than most tests. */
const free: Reusable[] = []
let folder: string | undefined
let files = 0

interface Reusable {
  readonly connection: DatabaseConnection
  /** Changes with every change of a table, an index or a trigger. */
  readonly schema: number
}

/** A connection to a file with the current tables, without rows: new, or released by another test. */
export async function takeConnection(): Promise<DatabaseConnection> {
  const taken = free.pop() ?? (await newConnection())
  const { connection } = taken
  return { ...connection, close: () => giveBack(taken).catch(() => connection.close()) }
}

async function newConnection(): Promise<Reusable> {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'medloom-reused-'))
    process.once('exit', () => rmSync(created, { recursive: true, force: true }))
    folder = created
  }
  files += 1
  const file = await migratedFile(join(folder, `${files}.db`))
  const connection = await sqliteDialect(file).connect({ onLost: throwUncaught })
  return { connection, schema: await schemaOf(connection) }
}

/** @throws Error if a test has changed the tables, or has left the connection in the middle of a transaction */
async function giveBack(taken: Reusable): Promise<void> {
  const { connection, schema } = taken
  if ((await schemaOf(connection)) !== schema) throw new Error('the tables are others')
  await emptyTables(connection)
  free.push(taken)
}

async function schemaOf(connection: DatabaseConnection): Promise<number> {
  const database = new Kysely<unknown>({ dialect: connection.dialectFor({}) })
  const { rows } = await sql<{ schema_version: number }>`PRAGMA schema_version`.execute(database)
  return Number(rows[0]?.schema_version)
}

/** Leaves the tables as after the migrations. */
async function emptyTables(connection: DatabaseConnection): Promise<void> {
  const database = new Kysely<unknown>({ dialect: connection.dialectFor({ isRelaxed: true }) })
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migrations', 'sqlite_schema')`.execute(
    database,
  )
  await database.transaction().execute(async (transaction) => {
    const statements = [
      sql`PRAGMA defer_foreign_keys = ON`,
      ...rows.map(({ name }) => sql`DELETE FROM ${sql.table(name)}`),
      sql`INSERT INTO counters VALUES ('evaluations', 0)`,
    ]
    await Promise.all(statements.map((statement) => statement.execute(transaction)))
  })
}

function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
