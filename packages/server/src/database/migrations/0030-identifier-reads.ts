import type { Migration } from './migration.js'

/** Tokens that may read values that identify patients. Existing tokens keep this permission. */
export const IDENTIFIER_READS: Migration = {
  name: '0030-identifier-reads',
  statements: (ddl) => [`ALTER TABLE tokens ADD COLUMN identifiers ${ddl.integer} NOT NULL DEFAULT 1`],
}
