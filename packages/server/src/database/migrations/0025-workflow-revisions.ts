import type { Migration } from './migration.js'

/** Earlier revisions of workflows, and unsaved drafts of editors. The current revisions are the first entries. */
export const WORKFLOW_REVISIONS: Migration = {
  name: '0025-workflow-revisions',
  statements: (ddl) => [
    `CREATE TABLE workflow_revisions (
      workflow_id ${ddl.text} NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      revision ${ddl.integer} NOT NULL, num_nodes ${ddl.integer} NOT NULL,
      document_digest ${ddl.text} NOT NULL REFERENCES workflow_documents (digest),
      created_at ${ddl.text} NOT NULL,
      PRIMARY KEY (workflow_id, revision)
    )${ddl.keyedTable}`,
    'CREATE INDEX workflow_revisions_by_document ON workflow_revisions (document_digest)',
    `INSERT INTO workflow_revisions (workflow_id, revision, num_nodes, document_digest, created_at)
      SELECT workflow_id, revision, num_nodes, document_digest, updated_at FROM workflows`,
    `CREATE TABLE workflow_drafts (
      workflow_id ${ddl.text} NOT NULL PRIMARY KEY REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      base_revision ${ddl.integer} NOT NULL,
      document_digest ${ddl.text} NOT NULL REFERENCES workflow_documents (digest),
      updated_at ${ddl.text} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX workflow_drafts_by_document ON workflow_drafts (document_digest)',
  ],
}
