import type { Migration } from './migration.js'

/** Durations of nodes, from which a plan estimates how long they will take. */
export const NODE_SECONDS: Migration = {
  name: '0024-node-seconds',
  statements: (ddl) => [`ALTER TABLE workflow_made ADD COLUMN seconds ${ddl.real}`],
}
