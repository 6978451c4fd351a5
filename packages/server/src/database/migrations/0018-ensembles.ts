import type { Migration } from './migration.js'

/** The models that an ensemble combines, stored with its record. */
export const ENSEMBLES: Migration = {
  name: '0018-ensembles',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN ensemble ${ddl.text}`],
}
