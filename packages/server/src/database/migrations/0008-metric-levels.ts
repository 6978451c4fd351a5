import type { Migration } from './migration.js'

/** Curves of jobs in buckets of growing size. The progress of existing jobs is aggregated in the background after the start. */
export const METRIC_LEVELS: Migration = {
  name: '0008-metric-levels',
  statements: (ddl) => [
    `CREATE TABLE metric_curves (
      job_id ${ddl.text} PRIMARY KEY REFERENCES jobs (job_id) ON DELETE CASCADE,
      folded_seq ${ddl.integer} NOT NULL, kept_seq ${ddl.integer} NOT NULL,
      points ${ddl.integer} NOT NULL, open ${ddl.text} NOT NULL, behind ${ddl.integer} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX metric_curves_behind ON metric_curves (job_id) WHERE behind = 1',
    `CREATE TABLE metric_levels (
      job_id ${ddl.text} NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
      level ${ddl.integer} NOT NULL, bucket ${ddl.integer} NOT NULL, content ${ddl.text} NOT NULL,
      PRIMARY KEY (job_id, level, bucket)
    )${ddl.keyedTable}`,
    `INSERT INTO metric_curves (job_id, folded_seq, kept_seq, points, open, behind)
      SELECT job_id, 0, 0, 0, '[]', 1 FROM jobs WHERE last_seq > 500`,
  ],
}
