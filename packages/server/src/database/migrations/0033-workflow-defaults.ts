import { LATER_THAN_1_0, migrateWorkflow, WORKFLOW_VERSION, withEarlierDefaults } from '@medloom/contracts'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { Migration } from './migration.js'

/**
 * Writes the defaults with which a stored workflow was saved into it, so that its results do not change. A field existed when the workflow
 * was saved if the step of its version had been applied by then.
 */
export const WORKFLOW_DEFAULTS: Migration = {
  name: '0033-workflow-defaults',
  statements: () => [writeDefaults],
}

const STEP_OF: Readonly<Record<string, string>> = {
  missing_indicator: '0014-fine-tuning',
  missing_token: '0014-fine-tuning',
  slices: '0014-fine-tuning',
  members: '0016-studies',
  linear_share: '0026-people',
}

/** One document after the other: each can be several megabytes. The digest is not updated, because it only identifies the row. */
async function writeDefaults(transaction: QueryExecutorProvider): Promise<void> {
  const steps = await sql<{
    name: string
    applied_at: string
  }>`SELECT name, applied_at FROM migrations`.execute(transaction)
  const appliedAt = new Map(steps.rows.map(({ name, applied_at }) => [name, applied_at]))
  for await (const digest of digests(transaction)) {
    const { rows } = await sql<{ document: string; saved_at: string | null }>`
      SELECT document, (SELECT min(saved_at) FROM (
        SELECT created_at AS saved_at FROM workflow_revisions WHERE document_digest = ${digest}
        UNION ALL SELECT created_at FROM workflow_runs WHERE document_digest = ${digest}
        UNION ALL SELECT updated_at FROM workflow_drafts WHERE document_digest = ${digest}
      ) AS times) AS saved_at FROM workflow_documents WHERE digest = ${digest}`.execute(transaction)
    for (const { document, saved_at } of rows) {
      const later = LATER_THAN_1_0.filter(
        ({ field }) => (saved_at ?? '') < (appliedAt.get(STEP_OF[field] ?? '') ?? ''),
      )
      const changed = withDefaults(JSON.parse(document), later)
      if (changed !== null)
        await sql`UPDATE workflow_documents SET document = ${JSON.stringify(changed)} WHERE digest = ${digest}`.execute(
          transaction,
        )
    }
  }
}

/** null: the document already has a version that determines its defaults. */
function withDefaults(document: Record<string, unknown>, later: typeof LATER_THAN_1_0): object | null {
  const migrated = migrateWorkflow(document)
  if (!migrated.ok || migrated.value.steps.length === 0) return null
  return withEarlierDefaults({ ...document, version: WORKFLOW_VERSION }, later)
}

async function* digests(transaction: QueryExecutorProvider): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ digest: string }>`
      SELECT digest FROM workflow_documents WHERE digest > ${last} ORDER BY digest LIMIT 1000`.execute(
      transaction,
    )
    for (const { digest } of rows) yield digest
    if (rows.length === 0) return
    last = rows.at(-1)?.digest ?? last
  }
}
