import type { Migration } from './migration.js'

/** Studies, their trainings, and which jobs are trainings of one. */
export const STUDIES: Migration = {
  name: '0016-studies',
  statements: (ddl) => [
    `CREATE TABLE studies (
      number ${ddl.rowNumber},
      study_id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL, status TEXT NOT NULL, phase TEXT, message TEXT NOT NULL, error TEXT,
      config TEXT NOT NULL, digests TEXT NOT NULL,
      metric TEXT NOT NULL, reference TEXT NOT NULL, results TEXT, report TEXT,
      request TEXT, created_at TEXT NOT NULL, ended_at TEXT
    )${ddl.table}`,
    'CREATE INDEX studies_by_status ON studies (status, number)',
    `CREATE TABLE study_trainings (
      study_id TEXT NOT NULL REFERENCES studies (study_id) ON DELETE CASCADE,
      position ${ddl.integer} NOT NULL,
      variant TEXT NOT NULL, seed ${ddl.integer} NOT NULL, fold TEXT,
      job_id TEXT, due ${ddl.integer} NOT NULL, metrics TEXT,
      PRIMARY KEY (study_id, position)
    )${ddl.keyedTable}`,
    'ALTER TABLE jobs ADD COLUMN study_id TEXT',
    `ALTER TABLE jobs ADD COLUMN study_position ${ddl.integer}`,
    'CREATE INDEX jobs_by_study ON jobs (study_id, number) WHERE study_id IS NOT NULL',
  ],
}
