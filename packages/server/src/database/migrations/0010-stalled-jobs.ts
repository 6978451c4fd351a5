import type { Migration } from './migration.js'

/** Marks running jobs whose training has stalled. */
export const STALLED_JOBS: Migration = {
  name: '0010-stalled-jobs',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN stalled ${ddl.text}`],
}
