import type { Migration } from './migration.js'

export const WORKFLOWS: Migration = {
  name: '0002-workflows',
  statements: (ddl) => [
    `CREATE TABLE workflows (
      number ${ddl.rowNumber},
      workflow_id ${ddl.text} NOT NULL UNIQUE, revision ${ddl.integer} NOT NULL,
      name ${ddl.text} NOT NULL, description ${ddl.text} NOT NULL, tags ${ddl.text} NOT NULL, num_nodes ${ddl.integer} NOT NULL,
      document ${ddl.text} NOT NULL, execution_history ${ddl.text} NOT NULL,
      created_at ${ddl.text} NOT NULL, updated_at ${ddl.text} NOT NULL
    )${ddl.table}`,
    `CREATE TABLE workflow_runs (
      number ${ddl.rowNumber},
      run_id ${ddl.text} NOT NULL UNIQUE,
      workflow_id ${ddl.text} NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      revision ${ddl.integer} NOT NULL, status ${ddl.text} NOT NULL, reason ${ddl.text}, progress ${ddl.real} NOT NULL,
      document ${ddl.text} NOT NULL, targets ${ddl.text}, force ${ddl.text} NOT NULL, from_run ${ddl.text},
      attempt ${ddl.integer} NOT NULL, request ${ddl.text}, created_at ${ddl.text} NOT NULL, ended_at ${ddl.text}
    )${ddl.table}`,
    'CREATE INDEX workflow_runs_by_workflow ON workflow_runs (workflow_id, number)',
    'CREATE INDEX workflow_runs_open ON workflow_runs (number) WHERE ended_at IS NULL',
    `CREATE TABLE workflow_run_nodes (
      run_id ${ddl.text} NOT NULL REFERENCES workflow_runs (run_id) ON DELETE CASCADE,
      node ${ddl.text} NOT NULL, status ${ddl.text} NOT NULL, state ${ddl.text} NOT NULL,
      PRIMARY KEY (run_id, node)
    )${ddl.keyedTable}`,
    `CREATE TABLE workflow_made (
      workflow_id ${ddl.text} NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      node ${ddl.text} NOT NULL, key ${ddl.text} NOT NULL, parts ${ddl.text} NOT NULL,
      PRIMARY KEY (workflow_id, node)
    )${ddl.keyedTable}`,
    `CREATE TABLE workflow_jobs (
      workflow_id ${ddl.text} NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      node ${ddl.text} NOT NULL, key ${ddl.text} NOT NULL, run_id ${ddl.text} NOT NULL, job_id ${ddl.text} NOT NULL,
      PRIMARY KEY (workflow_id, node, key)
    )${ddl.keyedTable}`,
    `CREATE TABLE cached_results (
      key ${ddl.text} PRIMARY KEY, workflow_id ${ddl.text} NOT NULL, node ${ddl.text} NOT NULL, type ${ddl.text} NOT NULL,
      outputs ${ddl.text} NOT NULL, created_at ${ddl.integer} NOT NULL
    )${ddl.keyedTable}`,
    'CREATE INDEX cached_results_by_origin ON cached_results (workflow_id, node)',
    `CREATE TABLE cached_blobs (
      key ${ddl.text} NOT NULL REFERENCES cached_results (key) ON DELETE CASCADE,
      sha256 ${ddl.text} NOT NULL, suffix ${ddl.text} NOT NULL, size_bytes ${ddl.integer} NOT NULL,
      PRIMARY KEY (key, sha256, suffix)
    )${ddl.keyedTable}`,
    `CREATE TABLE file_digests (path ${ddl.text} PRIMARY KEY, seen ${ddl.text} NOT NULL, sha256 ${ddl.text} NOT NULL)${ddl.keyedTable}`,
  ],
}
