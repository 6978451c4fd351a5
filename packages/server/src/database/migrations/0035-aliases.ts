import type { Migration } from './migration.js'

/** History of the aliases of models, to which rows are only added. */
export const ALIASES: Migration = {
  name: '0035-aliases',
  statements: (ddl) => [
    `CREATE TABLE alias_moves (
      alias ${ddl.text} NOT NULL, number ${ddl.integer} NOT NULL,
      model_id ${ddl.text}, weights_digest ${ddl.text}, evaluation_id ${ddl.text}, note ${ddl.text},
      set_by ${ddl.text}, set_at ${ddl.text} NOT NULL,
      PRIMARY KEY (alias, number)
    )${ddl.keyedTable}`,
    'CREATE INDEX alias_moves_by_model ON alias_moves (model_id)',
  ],
}
