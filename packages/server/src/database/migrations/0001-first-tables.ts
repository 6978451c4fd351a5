import type { Migration } from './migration.js'

export const FIRST_TABLES: Migration = {
  name: '0001-first-tables',
  statements: (ddl) => [
    `CREATE TABLE jobs (
      number ${ddl.rowNumber},
      job_id ${ddl.text} NOT NULL UNIQUE,
      job_name ${ddl.text} NOT NULL,
      status ${ddl.text} NOT NULL,
      phase ${ddl.text}, reason ${ddl.text}, error ${ddl.text},
      config ${ddl.text} NOT NULL, prepared ${ddl.text},
      metrics ${ddl.text} NOT NULL, notes ${ddl.text} NOT NULL, best ${ddl.text},
      epoch ${ddl.integer} NOT NULL, total_epochs ${ddl.integer} NOT NULL, eta_seconds ${ddl.real},
      attempt ${ddl.integer} NOT NULL, request ${ddl.text}, process ${ddl.text},
      events_offset ${ddl.integer} NOT NULL, last_seq ${ddl.integer} NOT NULL,
      resumed_from ${ddl.text}, model_id ${ddl.text}, report_path ${ddl.text},
      created_at ${ddl.text} NOT NULL, started_at ${ddl.text}, ended_at ${ddl.text}
    )${ddl.table}`,
    'CREATE INDEX jobs_by_status ON jobs (status, number)',
    `CREATE TABLE job_events (
      job_id ${ddl.text} NOT NULL REFERENCES jobs (job_id),
      seq ${ddl.integer} NOT NULL, type ${ddl.text} NOT NULL, message ${ddl.text} NOT NULL,
      PRIMARY KEY (job_id, seq)
    )${ddl.keyedTable}`,
    // Events that a client receives when it connects late: all except superseded progress.
    "CREATE INDEX job_events_kept ON job_events (job_id, seq) WHERE type <> 'progress'",
    `CREATE TABLE models (
      number ${ddl.rowNumber},
      model_id ${ddl.text} NOT NULL UNIQUE,
      job_id ${ddl.text} NOT NULL UNIQUE REFERENCES jobs (job_id),
      record ${ddl.text} NOT NULL, created_at ${ddl.text} NOT NULL
    )${ddl.table}`,
    `CREATE TABLE evaluations (
      evaluation_id ${ddl.text} PRIMARY KEY,
      model_id ${ddl.text} NOT NULL REFERENCES models (model_id),
      split ${ddl.text} NOT NULL, data_digest ${ddl.text} NOT NULL, record ${ddl.text} NOT NULL, created_at ${ddl.text} NOT NULL
    )${ddl.table}`,
    'CREATE INDEX evaluations_by_model ON evaluations (model_id, split)',
    `CREATE TABLE datasets (
      number ${ddl.rowNumber},
      dataset_id ${ddl.text} NOT NULL UNIQUE, path ${ddl.text} NOT NULL, record ${ddl.text} NOT NULL, created_at ${ddl.text} NOT NULL
    )${ddl.table}`,
    `CREATE TABLE idempotency (
      route ${ddl.text} NOT NULL, key ${ddl.text} NOT NULL, body_digest ${ddl.text} NOT NULL, answer ${ddl.text} NOT NULL, created_at ${ddl.text} NOT NULL,
      PRIMARY KEY (route, key)
    )${ddl.table}`,
  ],
}
