import type { Migration } from './migration.js'

export const FIRST_TABLES: Migration = {
  name: '0001-first-tables',
  statements: (ddl) => [
    `CREATE TABLE jobs (
      number ${ddl.rowNumber},
      job_id TEXT NOT NULL UNIQUE,
      job_name TEXT NOT NULL,
      status TEXT NOT NULL,
      phase TEXT, reason TEXT, error TEXT,
      config TEXT NOT NULL, prepared TEXT,
      metrics TEXT NOT NULL, notes TEXT NOT NULL, best TEXT,
      epoch ${ddl.integer} NOT NULL, total_epochs ${ddl.integer} NOT NULL, eta_seconds ${ddl.real},
      attempt ${ddl.integer} NOT NULL, request TEXT, process TEXT,
      events_offset ${ddl.integer} NOT NULL, last_seq ${ddl.integer} NOT NULL,
      resumed_from TEXT, model_id TEXT, report_path TEXT,
      created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT
    )${ddl.table}`,
    'CREATE INDEX jobs_by_status ON jobs (status, number)',
    `CREATE TABLE job_events (
      job_id TEXT NOT NULL REFERENCES jobs (job_id),
      seq ${ddl.integer} NOT NULL, type TEXT NOT NULL, message TEXT NOT NULL,
      PRIMARY KEY (job_id, seq)
    )${ddl.keyedTable}`,
    // What a follower is given who comes late: everything but superseded progress.
    "CREATE INDEX job_events_kept ON job_events (job_id, seq) WHERE type <> 'progress'",
    `CREATE TABLE models (
      number ${ddl.rowNumber},
      model_id TEXT NOT NULL UNIQUE,
      job_id TEXT NOT NULL UNIQUE REFERENCES jobs (job_id),
      record TEXT NOT NULL, created_at TEXT NOT NULL
    )${ddl.table}`,
    `CREATE TABLE evaluations (
      evaluation_id TEXT PRIMARY KEY,
      model_id TEXT NOT NULL REFERENCES models (model_id),
      split TEXT NOT NULL, data_digest TEXT NOT NULL, record TEXT NOT NULL, created_at TEXT NOT NULL
    )${ddl.table}`,
    'CREATE INDEX evaluations_by_model ON evaluations (model_id, split)',
    `CREATE TABLE datasets (
      number ${ddl.rowNumber},
      dataset_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, record TEXT NOT NULL, created_at TEXT NOT NULL
    )${ddl.table}`,
    `CREATE TABLE idempotency (
      route TEXT NOT NULL, key TEXT NOT NULL, body_digest TEXT NOT NULL, answer TEXT NOT NULL, created_at TEXT NOT NULL,
      PRIMARY KEY (route, key)
    )${ddl.table}`,
  ],
}
