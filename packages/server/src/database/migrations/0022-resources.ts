import type { Migration } from './migration.js'

/** Resource usage of jobs, in buckets of growing size like their curves. */
export const RESOURCES: Migration = {
  name: '0022-resources',
  statements: (ddl) => [
    `CREATE TABLE resource_curves (
      job_id ${ddl.text} PRIMARY KEY REFERENCES jobs (job_id) ON DELETE CASCADE,
      attempt ${ddl.integer} NOT NULL, read_bytes ${ddl.integer} NOT NULL,
      points ${ddl.integer} NOT NULL, open ${ddl.text} NOT NULL, reasons ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
    `CREATE TABLE resource_levels (
      job_id ${ddl.text} NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
      level ${ddl.integer} NOT NULL, bucket ${ddl.integer} NOT NULL, content ${ddl.text} NOT NULL,
      PRIMARY KEY (job_id, level, bucket)
    )${ddl.keyedTable}`,
  ],
}
