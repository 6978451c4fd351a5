import type { Migration } from './migration.js'

/** Files that nodes have written to the output folder: a file whose digest is not listed here is never replaced. */
export const WRITTEN_FILES: Migration = {
  name: '0009-written-files',
  statements: (ddl) => [
    `CREATE TABLE written_files (
      path ${ddl.text} NOT NULL, sha256 ${ddl.text} NOT NULL, PRIMARY KEY (path, sha256)
    )${ddl.keyedTable}`,
  ],
}
