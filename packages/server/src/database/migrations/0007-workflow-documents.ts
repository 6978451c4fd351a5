import { createHash } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { Migration } from './migration.js'

/**
 * Documents of workflows are stored once under their digest, shared by all workflows and runs, and executions in a separate table. Before
 * this step, every run stored a copy of the document with all earlier executions.
 */
export const WORKFLOW_DOCUMENTS: Migration = {
  name: '0007-workflow-documents',
  statements: (ddl) => [
    `CREATE TABLE workflow_documents (digest ${ddl.text} PRIMARY KEY, document ${ddl.text} NOT NULL)${ddl.table}`,
    `CREATE TABLE workflow_executions (
      number ${ddl.rowNumber},
      workflow_id ${ddl.text} NOT NULL REFERENCES workflows (workflow_id) ON DELETE CASCADE,
      execution ${ddl.text} NOT NULL
    )${ddl.table}`,
    'CREATE INDEX workflow_executions_by_workflow ON workflow_executions (workflow_id, number)',
    ...['workflows', 'workflow_runs'].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN document_digest ${ddl.text} REFERENCES workflow_documents (digest)`,
      moveDocuments(table),
      `CREATE INDEX ${table}_by_document ON ${table} (document_digest)`,
      `ALTER TABLE ${table} DROP COLUMN document`,
    ]),
    moveExecutions,
    'ALTER TABLE workflows DROP COLUMN execution_history',
  ],
}

/** Row by row: a document can be several megabytes. */
function moveDocuments(name: string) {
  const table = sql.table(name)
  return async (transaction: QueryExecutorProvider) => {
    for await (const number of numbers(name, transaction)) {
      const { rows } = await sql<{
        document: string
      }>`SELECT document FROM ${table} WHERE number = ${number}`.execute(transaction)
      const { execution_history: _, ...content } = JSON.parse(rows[0]?.document ?? '{}')
      const document = JSON.stringify(content)
      const digest = createHash('sha256').update(document).digest('hex')
      await sql`INSERT INTO workflow_documents VALUES (${digest}, ${document}) ON CONFLICT (digest) DO NOTHING`.execute(
        transaction,
      )
      await sql`UPDATE ${table} SET document_digest = ${digest}, document = '' WHERE number = ${number}`.execute(
        transaction,
      )
    }
  }
}

async function moveExecutions(transaction: QueryExecutorProvider): Promise<void> {
  for await (const number of numbers('workflows', transaction)) {
    const { rows } = await sql<{
      workflow_id: string
      execution_history: string
    }>`SELECT workflow_id, execution_history FROM workflows WHERE number = ${number}`.execute(transaction)
    for (const { workflow_id, execution_history } of rows)
      for (const execution of JSON.parse(execution_history))
        await sql`INSERT INTO workflow_executions (workflow_id, execution) VALUES (${workflow_id}, ${JSON.stringify(execution)})`.execute(
          transaction,
        )
  }
}

async function* numbers(name: string, transaction: QueryExecutorProvider): AsyncGenerator<number> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ number: number }>`
      SELECT number FROM ${sql.table(name)} WHERE number > ${last} ORDER BY number LIMIT 1000`.execute(
      transaction,
    )
    for (const { number } of rows) yield number
    if (rows.length === 0) return
    last = rows.at(-1)?.number ?? last
  }
}
