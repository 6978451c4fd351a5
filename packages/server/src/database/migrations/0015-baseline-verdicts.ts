import type { Migration } from './migration.js'

/** Result of the comparison of a job's model with the best of its baselines. */
export const BASELINE_VERDICTS: Migration = {
  name: '0015-baseline-verdicts',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN baseline_verdict ${ddl.text}`],
}
