import type { Migration } from './migration.js'

/** The trained model that a job started from. */
export const FINE_TUNING: Migration = {
  name: '0014-fine-tuning',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN fine_tuned_from ${ddl.text}`],
}
