import type { Migration } from './migration.js'

/** The trained model that a job started from. */
export const FINE_TUNING: Migration = {
  name: '0014-fine-tuning',
  statements: () => ['ALTER TABLE jobs ADD COLUMN fine_tuned_from TEXT'],
}
