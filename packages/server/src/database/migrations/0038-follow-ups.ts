import type { Migration } from './migration.js'

/** Follow-ups of models. */
export const FOLLOW_UPS: Migration = {
  name: '0038-follow-ups',
  statements: (ddl) => [
    `CREATE TABLE follow_ups (
      number ${ddl.rowNumber},
      follow_up_id ${ddl.text} NOT NULL UNIQUE,
      name ${ddl.text} NOT NULL, model_id ${ddl.text} NOT NULL, id_column ${ddl.text},
      silent ${ddl.integer} NOT NULL, window_days ${ddl.integer} NOT NULL, owner ${ddl.text},
      created_at ${ddl.text} NOT NULL, closed_at ${ddl.text},
      evaluations ${ddl.integer} NOT NULL DEFAULT 0
    )${ddl.table}`,
    'CREATE INDEX follow_ups_by_model ON follow_ups (model_id, number)',
  ],
}
