import type { Migration } from './migration.js'

/**
 * Evaluations can be listed, and uses of test data are counted. The count by digest is stored separately: it does not decrease when a model
 * is removed with its evaluations.
 */
export const EVALUATION_LISTS: Migration = {
  name: '0019-evaluation-lists',
  statements: (ddl) => [
    `ALTER TABLE evaluations ADD COLUMN comparison_id ${ddl.text} ${ddl.fromJson('record', 'comparison_id')}`,
    `ALTER TABLE evaluations ADD COLUMN number ${ddl.integer} NOT NULL DEFAULT 0`,
    `UPDATE evaluations SET number = ordered.number FROM (
      SELECT evaluation_id AS id, row_number() OVER (ORDER BY created_at, evaluation_id) AS number FROM evaluations
    ) AS ordered WHERE ordered.id = evaluations.evaluation_id`,
    'CREATE UNIQUE INDEX evaluations_by_number ON evaluations (number)',
    'CREATE INDEX evaluations_of_model ON evaluations (model_id, number)',
    'CREATE INDEX evaluations_by_digest ON evaluations (data_digest)',
    'CREATE INDEX evaluations_by_comparison ON evaluations (comparison_id, number)',
    "INSERT INTO counters (name, value) SELECT 'evaluations', count(*) FROM evaluations",
    `INSERT INTO counters (name, value) SELECT 'test uses:' || data_digest, count(*) FROM evaluations
      WHERE split NOT IN ('train', 'val') GROUP BY data_digest`,
  ],
}
