import type { Migration } from './migration.js'

/** What nodes have put below the output folder: a file whose digest is not here is never replaced. */
export const WRITTEN_FILES: Migration = {
  name: '0009-written-files',
  statements: (ddl) => [
    `CREATE TABLE written_files (
      path ${ddl.text} NOT NULL, sha256 ${ddl.text} NOT NULL, PRIMARY KEY (path, sha256)
    )${ddl.keyedTable}`,
  ],
}
