import type { Migration } from './migration.js'

/** Trials of searches: their settings and their results. */
export const SEARCHES: Migration = {
  name: '0017-searches',
  statements: (ddl) => [
    `ALTER TABLE study_trainings ADD COLUMN trial ${ddl.integer}`,
    `ALTER TABLE study_trainings ADD COLUMN settings ${ddl.text}`,
    `ALTER TABLE study_trainings ADD COLUMN value ${ddl.real}`,
    `ALTER TABLE study_trainings ADD COLUMN pruned_at ${ddl.integer}`,
    `ALTER TABLE study_trainings ADD COLUMN refused ${ddl.text}`,
  ],
}
