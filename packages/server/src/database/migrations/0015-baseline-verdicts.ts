import type { Migration } from './migration.js'

/** How the model of a job compares with the best of its baselines. */
export const BASELINE_VERDICTS: Migration = {
  name: '0015-baseline-verdicts',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN baseline_verdict ${ddl.text}`],
}
