import type { Migration } from './migration.js'

/** Counts while the controller works, so that one that hangs is told from one that does not. */
export const CONTROLLER_BEATS: Migration = {
  name: '0028-controller-beats',
  statements: (ddl) => [`ALTER TABLE controllers ADD COLUMN beats ${ddl.integer} NOT NULL DEFAULT 0`],
}
