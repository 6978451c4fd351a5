import type { Migration } from './migration.js'

/** Users, their tokens, the owners of items, and the audit log. Items from before this step have no owner. */
export const PEOPLE: Migration = {
  name: '0026-people',
  statements: (ddl) => [
    `CREATE TABLE users (
      user_name ${ddl.text} NOT NULL PRIMARY KEY,
      max_running_jobs ${ddl.integer}, max_queued_jobs ${ddl.integer},
      created_at ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
    `CREATE TABLE tokens (
      number ${ddl.rowNumber},
      token_id ${ddl.text} NOT NULL UNIQUE, digest ${ddl.text} NOT NULL UNIQUE,
      name ${ddl.text} NOT NULL, user_name ${ddl.text} NOT NULL REFERENCES users (user_name), role ${ddl.text} NOT NULL,
      created_at ${ddl.text} NOT NULL, expires_at ${ddl.text}, revoked_at ${ddl.text}, last_used_at ${ddl.text}
    )${ddl.table}`,
    `CREATE TABLE sessions (
      digest ${ddl.text} NOT NULL PRIMARY KEY,
      token_id ${ddl.text} NOT NULL REFERENCES tokens (token_id),
      expires_at ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX sessions_by_token ON sessions (token_id)',
    'CREATE INDEX sessions_by_end ON sessions (expires_at)',
    `CREATE TABLE audit (
      number ${ddl.rowNumber},
      created_at ${ddl.text} NOT NULL, user_name ${ddl.text}, token_id ${ddl.text},
      operation ${ddl.text} NOT NULL, ids ${ddl.text} NOT NULL, outcome ${ddl.integer}, code ${ddl.text},
      address ${ddl.text} NOT NULL, request_id ${ddl.text} NOT NULL
    )${ddl.table}`,
    'CREATE INDEX audit_by_user ON audit (user_name, number)',
    'CREATE INDEX audit_by_operation ON audit (operation, number)',
    'CREATE INDEX audit_by_time ON audit (created_at)',
    ...['jobs', 'studies', 'datasets', 'tasks', 'workflows', 'workflow_runs'].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN owner ${ddl.text}`,
    ),
    // For the number of waiting and running jobs of a user.
    'CREATE INDEX jobs_by_owner ON jobs (owner, status)',
    'CREATE INDEX studies_by_owner ON studies (owner, number)',
    'CREATE INDEX datasets_by_owner ON datasets (owner, number)',
    'CREATE INDEX workflows_by_owner ON workflows (owner, number)',
    'DROP INDEX jobs_listed',
    'DROP INDEX jobs_listed_by_status',
    `CREATE INDEX jobs_listed ON jobs (archived, number${ddl.alsoIndexed(`status, ${LISTED}`)})`,
    `CREATE INDEX jobs_listed_by_status ON jobs (archived, status, number${ddl.alsoIndexed(LISTED)})`,
  ],
}

/** Every column by which a list of jobs is filtered or sorted. */
const LISTED = 'pinned, study_id, owner, job_id, job_name, duration_seconds, tags, searched'
