import type { Migration } from './migration.js'

/** Checkpoint of the earlier job from which a job is resumed, if it is not the last one. */
export const RESUMED_CHECKPOINTS: Migration = {
  name: '0021-resumed-checkpoints',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN resumed_checkpoint ${ddl.text}`],
}
