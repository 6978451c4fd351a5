import type { Migration } from './migration.js'

/** Work that continues after its caller disconnects. */
export const TASKS: Migration = {
  name: '0023-tasks',
  statements: (ddl) => [
    `CREATE TABLE tasks (
      number ${ddl.rowNumber},
      task_id ${ddl.text} NOT NULL UNIQUE,
      route ${ddl.text} NOT NULL, request ${ddl.text} NOT NULL,
      state ${ddl.text} NOT NULL, progress ${ddl.real} NOT NULL,
      result ${ddl.text}, error ${ddl.text},
      created_at ${ddl.text} NOT NULL, ended_at ${ddl.text}
    )${ddl.table}`,
    "CREATE INDEX tasks_open ON tasks (number) WHERE state = 'running'",
  ],
}
