import type { Migration } from './migration.js'

/** The weights that an evaluation measured: a model can be evaluated at each of its checkpoints. */
export const EVALUATED_WEIGHTS: Migration = {
  name: '0039-evaluated-weights',
  statements: (ddl) => [
    `ALTER TABLE evaluations ADD COLUMN checkpoint_digest ${ddl.text} ${ddl.fromJson('record', 'checkpoint_digest')}`,
  ],
}
