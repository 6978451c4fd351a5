import type { Migration } from './migration.js'

export const WORKFLOWS: Migration = {
  name: '0002-workflows',
  statements: (ddl) => [
    `CREATE TABLE workflows (
      number ${ddl.rowNumber},
      workflow_id TEXT NOT NULL UNIQUE, revision ${ddl.integer} NOT NULL,
      name TEXT NOT NULL, description TEXT NOT NULL, tags TEXT NOT NULL, num_nodes ${ddl.integer} NOT NULL,
      document TEXT NOT NULL, execution_history TEXT NOT NULL,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL
    )${ddl.table}`,
    `CREATE TABLE workflow_runs (
      number ${ddl.rowNumber},
      run_id TEXT NOT NULL UNIQUE,
      workflow_id TEXT NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      revision ${ddl.integer} NOT NULL, status TEXT NOT NULL, reason TEXT, progress ${ddl.real} NOT NULL,
      document TEXT NOT NULL, targets TEXT, force TEXT NOT NULL, from_run TEXT,
      attempt ${ddl.integer} NOT NULL, request TEXT, created_at TEXT NOT NULL, ended_at TEXT
    )${ddl.table}`,
    'CREATE INDEX workflow_runs_by_workflow ON workflow_runs (workflow_id, number)',
    'CREATE INDEX workflow_runs_open ON workflow_runs (number) WHERE ended_at IS NULL',
    `CREATE TABLE workflow_run_nodes (
      run_id TEXT NOT NULL REFERENCES workflow_runs (run_id) ON DELETE CASCADE,
      node ${ddl.sortedText} NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
      PRIMARY KEY (run_id, node)
    )${ddl.keyedTable}`,
    `CREATE TABLE workflow_made (
      workflow_id TEXT NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      node ${ddl.sortedText} NOT NULL, key TEXT NOT NULL, parts TEXT NOT NULL,
      PRIMARY KEY (workflow_id, node)
    )${ddl.keyedTable}`,
    `CREATE TABLE workflow_jobs (
      workflow_id TEXT NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      node TEXT NOT NULL, key TEXT NOT NULL, run_id TEXT NOT NULL, job_id TEXT NOT NULL,
      PRIMARY KEY (workflow_id, node, key)
    )${ddl.keyedTable}`,
    `CREATE TABLE cached_results (
      key TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, node TEXT NOT NULL, type TEXT NOT NULL,
      outputs TEXT NOT NULL, created_at ${ddl.integer} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX cached_results_by_origin ON cached_results (workflow_id, node)',
    `CREATE TABLE cached_blobs (
      key TEXT NOT NULL REFERENCES cached_results (key) ON DELETE CASCADE,
      sha256 ${ddl.sortedText} NOT NULL, suffix TEXT NOT NULL, size_bytes ${ddl.integer} NOT NULL,
      PRIMARY KEY (key, sha256, suffix)
    )${ddl.keyedTable}`,
    `CREATE TABLE file_digests (path TEXT PRIMARY KEY, seen TEXT NOT NULL, sha256 TEXT NOT NULL)${ddl.keyedTable}`,
  ],
}
