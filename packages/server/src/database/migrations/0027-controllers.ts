import type { Migration } from './migration.js'

/** The process that schedules jobs and stores events, where several share the database. */
export const CONTROLLERS: Migration = {
  name: '0027-controllers',
  statements: (ddl) => [
    `CREATE TABLE controllers (
      fence ${ddl.rowNumber},
      address ${ddl.text}, internal_key ${ddl.text} NOT NULL, folder ${ddl.text} NOT NULL, pause ${ddl.text}, started_at ${ddl.text} NOT NULL
    )${ddl.table}`,
  ],
}
