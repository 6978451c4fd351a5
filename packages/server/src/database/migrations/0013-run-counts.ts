import type { Migration } from './migration.js'

const STATUSES = ['pending', 'running', 'success', 'cached', 'error', 'skipped']

/** Number of nodes of a run per status: stored with the run instead of counted for each row of a list. */
export const RUN_COUNTS: Migration = {
  name: '0013-run-counts',
  statements: (ddl) => [
    `ALTER TABLE workflow_runs ADD COLUMN counts ${ddl.text} NOT NULL DEFAULT '{}'`,
    `UPDATE workflow_runs SET counts = (
      SELECT '{' || ${STATUSES.map(countOf).join(" || ',' || ")} || '}'
      FROM workflow_run_nodes WHERE workflow_run_nodes.run_id = workflow_runs.run_id
    )`,
  ],
}

/** A field of the document. */
function countOf(status: string): string {
  return `'"${status}":' || count(CASE WHEN workflow_run_nodes.status = '${status}' THEN 1 END)`
}
