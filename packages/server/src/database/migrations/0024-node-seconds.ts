import type { Migration } from './migration.js'

/** How long nodes took, so that a plan can say how long they may take. */
export const NODE_SECONDS: Migration = {
  name: '0024-node-seconds',
  statements: (ddl) => [`ALTER TABLE workflow_made ADD COLUMN seconds ${ddl.real}`],
}
