import type { Migration } from './migration.js'

/** Records of predictions for cases without labels, and their files. */
export const PREDICTIONS: Migration = {
  name: '0034-predictions',
  statements: (ddl) => [
    `CREATE TABLE prediction_traces (
      number ${ddl.rowNumber},
      prediction_id ${ddl.text} NOT NULL UNIQUE,
      created_at ${ddl.text} NOT NULL, owner ${ddl.text},
      model_id ${ddl.text} NOT NULL, alias ${ddl.text},
      checkpoint_digest ${ddl.text} NOT NULL, software_digest ${ddl.text},
      kind ${ddl.text} NOT NULL, num_cases ${ddl.integer} NOT NULL, num_failed ${ddl.integer} NOT NULL,
      input_digests ${ddl.text} NOT NULL, outputs ${ddl.text} NOT NULL, warnings ${ddl.text} NOT NULL
    )${ddl.table}`,
    'CREATE INDEX prediction_traces_by_model ON prediction_traces (model_id, number)',
    'CREATE INDEX prediction_traces_by_time ON prediction_traces (created_at)',
    `CREATE TABLE prediction_files (
      prediction_id ${ddl.text} NOT NULL PRIMARY KEY,
      created_at ${ddl.text} NOT NULL, owner ${ddl.text}, name ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX prediction_files_by_time ON prediction_files (created_at)',
  ],
}
