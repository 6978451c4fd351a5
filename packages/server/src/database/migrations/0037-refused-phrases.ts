import type { Migration } from './migration.js'

/** Phrases of the problems of refused trials, so that the page shows them in the language of its reader. */
export const REFUSED_PHRASES: Migration = {
  name: '0037-refused-phrases',
  statements: (ddl) => [`ALTER TABLE study_trainings ADD COLUMN refused_phrases ${ddl.text}`],
}
