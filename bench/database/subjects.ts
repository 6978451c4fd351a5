import { type Dialect, Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import { sqliteDialect } from '../../packages/server/src/database/sqlite/sqlite-dialect.js'

/** One row of the table that is written to. */
export interface Tables {
  events: { number?: number; job: string; seq: number; type: string; message: string }
}

export interface Subject {
  readonly name: string
  readonly database: Kysely<Tables>
  close(): Promise<void>
}

/** What the service uses: the connection in a thread of its own. */
export async function ownThread(file: string): Promise<Subject> {
  const connection = await sqliteDialect(file).connect((error) => {
    throw error
  })
  return subject('own thread', connection.durable, () => connection.close())
}

/** What it is compared with: the same library and settings, in the thread that also answers requests. */
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

async function subject(name: string, dialect: Dialect, close: () => Promise<void>): Promise<Subject> {
  const database = new Kysely<Tables>({ dialect })
  await database.schema
    .createTable('events')
    .addColumn('number', 'integer', (column) => column.primaryKey())
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
