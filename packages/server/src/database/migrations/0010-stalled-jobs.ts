import type { Migration } from './migration.js'

/** A running job whose trainer makes no steps. */
export const STALLED_JOBS: Migration = {
  name: '0010-stalled-jobs',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN stalled ${ddl.text}`],
}
