import type { Migration } from './migration.js'

/** Folders that are to be deleted after their rows: folders that remain are deleted at the next start. */
export const REMOVALS: Migration = {
  name: '0012-removals',
  statements: (ddl) => [
    `CREATE TABLE pending_removals (path ${ddl.text} PRIMARY KEY)${ddl.keyedTable}`,
    'CREATE INDEX workflow_jobs_by_job ON workflow_jobs (job_id)',
    'CREATE INDEX jobs_by_origin ON jobs (resumed_from) WHERE resumed_from IS NOT NULL',
  ],
}
