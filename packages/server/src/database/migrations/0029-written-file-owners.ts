import type { Migration } from './migration.js'

/** Owner of the run that wrote a file to the output folder: runs of other users do not replace it. Earlier files have no owner. */
export const WRITTEN_FILE_OWNERS: Migration = {
  name: '0029-written-file-owners',
  statements: (ddl) => [`ALTER TABLE written_files ADD COLUMN owner ${ddl.text}`],
}
