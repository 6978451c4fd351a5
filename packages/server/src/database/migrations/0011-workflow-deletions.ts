import type { Migration } from './migration.js'

/** A workflow counts as deleted once it is marked; its data is removed afterwards, if necessary by the next service. */
export const WORKFLOW_DELETIONS: Migration = {
  name: '0011-workflow-deletions',
  statements: (ddl) => [
    `ALTER TABLE workflows ADD COLUMN deleted_at ${ddl.text}`,
    'CREATE INDEX workflows_deleted ON workflows (number) WHERE deleted_at IS NOT NULL',
  ],
}
