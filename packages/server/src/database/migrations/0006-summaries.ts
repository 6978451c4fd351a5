import type { Migration } from './migration.js'

/** Lists, the start of the service and its cleanups read what they need by an index, however much there is. */
export const SUMMARIES: Migration = {
  name: '0006-summaries',
  statements: (ddl) => [
    'CREATE INDEX cached_blobs_by_file ON cached_blobs (sha256, suffix, size_bytes)',
    'CREATE INDEX cached_results_by_age ON cached_results (created_at)',
    'CREATE INDEX idempotency_by_age ON idempotency (created_at)',
    // Not unique: registering looks for the path in its transaction, and no folder of an older version may fail to open.
    'CREATE INDEX datasets_by_path ON datasets (path)',
    // What the start of a service looks for among the ended jobs; the condition stands in the query too.
    `CREATE INDEX jobs_with_loose_ends ON jobs (number)
      WHERE ended_at IS NOT NULL AND (handle IS NOT NULL OR (report_path IS NULL AND model_id IS NOT NULL))`,
    // How often a model was evaluated on a test split: kept with the model, not counted for each line of a list.
    `ALTER TABLE models ADD COLUMN evaluations ${ddl.integer} NOT NULL DEFAULT 0`,
    `UPDATE models SET evaluations = (
      SELECT count(*) FROM evaluations
      WHERE evaluations.model_id = models.model_id AND split NOT IN ('train', 'val')
    )`,
    `ALTER TABLE datasets ADD COLUMN summary ${ddl.text} NOT NULL DEFAULT '{}'`,
    `UPDATE datasets SET summary = ${ddl.jsonWithout('record', ['columns', 'missing'])}`,
  ],
}
