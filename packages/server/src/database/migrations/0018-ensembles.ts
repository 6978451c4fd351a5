import type { Migration } from './migration.js'

/** Of the record of an ensemble the models that it combines. */
export const ENSEMBLES: Migration = {
  name: '0018-ensembles',
  statements: (ddl) => [`ALTER TABLE jobs ADD COLUMN ensemble ${ddl.text}`],
}
