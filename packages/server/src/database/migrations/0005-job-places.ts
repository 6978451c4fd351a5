import type { Migration } from './migration.js'

/** The slots of a job are stored before its trainer reports its devices. */
export const JOB_PLACES: Migration = {
  name: '0005-job-places',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN places ${ddl.text}`],
}
