import type { Migration } from './migration.js'

/** A workflow is deleted once it is marked; what belongs to it is removed afterwards, also by the next service. */
export const WORKFLOW_DELETIONS: Migration = {
  name: '0011-workflow-deletions',
  statements: (ddl) => [
    `ALTER TABLE workflows ADD COLUMN deleted_at ${ddl.text}`,
    'CREATE INDEX workflows_deleted ON workflows (number) WHERE deleted_at IS NOT NULL',
  ],
}
