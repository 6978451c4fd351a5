import type { Migration } from './migration.js'

/** Whose run put a file below the output folder: those of others do not replace it. What was written before belongs to nobody. */
export const WRITTEN_FILE_OWNERS: Migration = {
  name: '0029-written-file-owners',
  statements: (ddl) => [`ALTER TABLE written_files ADD COLUMN owner ${ddl.text}`],
}
