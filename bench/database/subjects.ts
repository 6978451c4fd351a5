import { randomUUID } from 'node:crypto'
import { type Dialect, Kysely, type RawBuilder, type SqliteDatabase, SqliteDialect, sql } from 'kysely'
import Libsql from 'libsql'
import pg from 'pg'
import { POSTGRES_DDL } from '../../packages/server/src/database/postgres/ddl.js'
import { postgresDialect } from '../../packages/server/src/database/postgres/postgres-dialect.js'
import { sqliteDialect } from '../../packages/server/src/database/sqlite/sqlite-dialect.js'

/** One row of the written table. */
export interface Tables {
  events: { number?: number; job: string; seq: number; type: string; message: string }
}

export interface Subject {
  readonly name: string
  readonly database: Kysely<Tables>
  close(): Promise<void>
}

/** The service's configuration: the connection in a separate thread. */
export async function ownThread(file: string): Promise<Subject> {
  const connection = await sqliteDialect(file).connect({
    onLost(error) {
      throw error
    },
  })
  return subject('own thread', connection.dialectFor({}), () => connection.close())
}

/** The reference: the same library and settings, in the thread that also answers requests. */
export function inThread(file: string): Promise<Subject> {
  const connection = new Libsql(file)
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'busy_timeout = 5000',
  ])
    connection.pragma(pragma)
  const dialect = new SqliteDialect({ database: connection as unknown as SqliteDatabase })
  return subject('in thread', dialect, async () => {})
}

/** The same table on a server, in a schema that is removed afterwards. */
export async function onServer(url: string): Promise<Subject> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const schema = `medloom_bench_${randomUUID().slice(0, 8)}`
  await client.query(`CREATE SCHEMA "${schema}"`)
  const own = new URL(url)
  own.searchParams.set('options', `-csearch_path=${schema}`)
  const connection = await postgresDialect({ url: own.href, role: 'bench', reconnect: false }).connect({
    onLost(error) {
      throw error
    },
  })
  const close = async () => {
    await connection.close()
    await client.query(`DROP SCHEMA "${schema}" CASCADE`)
    await client.end()
  }
  return subject('PostgreSQL', connection.dialectFor({}), close, sql.raw(POSTGRES_DDL.rowNumber))
}

async function subject(
  name: string,
  dialect: Dialect,
  close: () => Promise<void>,
  rowNumber: RawBuilder<unknown> = sql`integer primary key`,
): Promise<Subject> {
  const database = new Kysely<Tables>({ dialect })
  await database.schema
    .createTable('events')
    .addColumn('number', rowNumber)
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .execute()
  return {
    name,
    database,
    close: async () => {
      await database.destroy()
      await close()
    },
  }
}
