import type { Migration } from './migration.js'

/** Lists, the start of the service and its cleanups use an index, however many rows there are. */
export const SUMMARIES: Migration = {
  name: '0006-summaries',
  statements: (ddl) => [
    'CREATE INDEX cached_blobs_by_file ON cached_blobs (sha256, suffix, size_bytes)',
    'CREATE INDEX cached_results_by_age ON cached_results (created_at)',
    'CREATE INDEX idempotency_by_age ON idempotency (created_at)',
    // Not unique: registration checks the path in its transaction, and data folders of older versions must always open.
    'CREATE INDEX datasets_by_path ON datasets (path)',
    // Ended jobs that the start of a service looks for; the query has the same condition.
    `CREATE INDEX jobs_with_loose_ends ON jobs (number)
      WHERE ended_at IS NOT NULL AND (handle IS NOT NULL OR (report_path IS NULL AND model_id IS NOT NULL))`,
    // Number of evaluations of a model on a test split: stored with the model instead of counted for each row of a list.
    `ALTER TABLE models ADD COLUMN evaluations ${ddl.integer} NOT NULL DEFAULT 0`,
    `UPDATE models SET evaluations = (
      SELECT count(*) FROM evaluations
      WHERE evaluations.model_id = models.model_id AND split NOT IN ('train', 'val')
    )`,
    `ALTER TABLE datasets ADD COLUMN summary ${ddl.text} NOT NULL DEFAULT '{}'`,
    `UPDATE datasets SET summary = ${ddl.jsonWithout('record', ['columns', 'missing'])}`,
  ],
}
