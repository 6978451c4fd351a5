import { Kysely, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import type { Tables } from '../src/database/schema.js'

/**
 * A connection to the database of a running service, for rows that a test reads or writes behind it. It opens at the first query and needs
 * no thread, which takes longer to start than most tests.
 */
export function secondConnection(file: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: async () => opened(file) }) })
}

function opened(file: string): Libsql.Database {
  const database = new Libsql(file)
  database.exec('PRAGMA busy_timeout = 5000')
  // The service alone moves the write-ahead log to the tables.
  database.exec('PRAGMA wal_autocheckpoint = 0')
  return database
}
