import type { Migration } from './migration.js'

/** Which checkpoint of the job before a job goes on from, where that is not the last one. */
export const RESUMED_CHECKPOINTS: Migration = {
  name: '0021-resumed-checkpoints',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN resumed_checkpoint ${ddl.text}`],
}
