import type { Migration } from './migration.js'

/** What a job was granted is known before its trainer says on what it trains. */
export const JOB_PLACES: Migration = {
  name: '0005-job-places',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN places ${ddl.text}`],
}
