import type { Migration } from './migration.js'

/** Studies, their trainings, and the jobs that belong to a study. */
export const STUDIES: Migration = {
  name: '0016-studies',
  statements: (ddl) => [
    `CREATE TABLE studies (
      number ${ddl.rowNumber},
      study_id ${ddl.text} NOT NULL UNIQUE,
      name ${ddl.text} NOT NULL, status ${ddl.text} NOT NULL, phase ${ddl.text}, message ${ddl.text} NOT NULL, error ${ddl.text},
      config ${ddl.text} NOT NULL, digests ${ddl.text} NOT NULL,
      metric ${ddl.text} NOT NULL, reference ${ddl.text} NOT NULL, results ${ddl.text}, report ${ddl.text},
      request ${ddl.text}, created_at ${ddl.text} NOT NULL, ended_at ${ddl.text}
    )${ddl.table}`,
    'CREATE INDEX studies_by_status ON studies (status, number)',
    `CREATE TABLE study_trainings (
      study_id ${ddl.text} NOT NULL REFERENCES studies (study_id) ON DELETE CASCADE,
      position ${ddl.integer} NOT NULL,
      variant ${ddl.text} NOT NULL, seed ${ddl.integer} NOT NULL, fold ${ddl.text},
      job_id ${ddl.text}, due ${ddl.integer} NOT NULL, metrics ${ddl.text},
      PRIMARY KEY (study_id, position)
    )${ddl.keyedTable}`,
    `ALTER TABLE jobs ADD COLUMN study_id ${ddl.text}`,
    `ALTER TABLE jobs ADD COLUMN study_position ${ddl.integer}`,
    'CREATE INDEX jobs_by_study ON jobs (study_id, number) WHERE study_id IS NOT NULL',
  ],
}
