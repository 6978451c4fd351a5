import type { Migration } from './migration.js'

/** Every location at which a root was configured, so that stored paths follow the root when it moves. */
export const KNOWN_ROOTS: Migration = {
  name: '0032-known-roots',
  statements: (ddl) => [
    `CREATE TABLE known_roots (
      folder ${ddl.text} NOT NULL PRIMARY KEY,
      name ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
  ],
}
