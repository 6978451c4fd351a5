import type { Migration } from './migration.js'

/** Work that goes on without its caller. */
export const TASKS: Migration = {
  name: '0023-tasks',
  statements: (ddl) => [
    `CREATE TABLE tasks (
      number ${ddl.rowNumber},
      task_id TEXT NOT NULL UNIQUE,
      route TEXT NOT NULL, request TEXT NOT NULL,
      state TEXT NOT NULL, progress ${ddl.real} NOT NULL,
      result TEXT, error TEXT,
      created_at TEXT NOT NULL, ended_at TEXT
    )${ddl.table}`,
    "CREATE INDEX tasks_open ON tasks (number) WHERE state = 'running'",
  ],
}
