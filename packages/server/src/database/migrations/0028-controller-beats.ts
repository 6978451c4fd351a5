import type { Migration } from './migration.js'

/** A counter that increases while the controller works, so that a process that hangs can be recognized. */
export const CONTROLLER_BEATS: Migration = {
  name: '0028-controller-beats',
  statements: (ddl) => [`ALTER TABLE controllers ADD COLUMN beats ${ddl.integer} NOT NULL DEFAULT 0`],
}
