import type { Migration } from './migration.js'

/** The tokens that may read values that identify patients. Those from before could, and still may. */
export const IDENTIFIER_READS: Migration = {
  name: '0030-identifier-reads',
  statements: (ddl) => [`ALTER TABLE tokens ADD COLUMN identifiers ${ddl.integer} NOT NULL DEFAULT 1`],
}
