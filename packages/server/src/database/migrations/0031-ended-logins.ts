import type { Migration } from './migration.js'

/** Logins with the service token that ended with a logout: nothing else is stored about them. */
export const ENDED_LOGINS: Migration = {
  name: '0031-ended-logins',
  statements: (ddl) => [
    `CREATE TABLE ended_logins (
      digest ${ddl.text} NOT NULL PRIMARY KEY,
      expires_at ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX ended_logins_by_end ON ended_logins (expires_at)',
  ],
}
