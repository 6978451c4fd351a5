import { createHash } from 'node:crypto'
import type { Workflow } from '@medloom/contracts'
import { batches } from '../database/batches.js'
import type { Connection } from '../database/database.js'

/** Store the document of a workflow, unless it is already stored. @returns its digest. */
export async function storeDocument(connection: Connection, workflow: Workflow): Promise<string> {
  const document = textOf(workflow)
  const digest = createHash('sha256').update(document).digest('hex')
  if (!(await isStored(connection, digest)))
    await connection.insertInto('workflow_documents').values({ digest, document }).execute()
  return digest
}

/** Store the document that was read under this digest, unless it is still stored. */
export async function keepDocument(
  connection: Connection,
  { digest, workflow }: { readonly digest: string; readonly workflow: Workflow },
): Promise<void> {
  if (!(await isStored(connection, digest)))
    await connection
      .insertInto('workflow_documents')
      .values({ digest, document: textOf(workflow) })
      .execute()
}

/** Parse a stored document; the caller adds the history. */
export function readDocument(document: string): Workflow {
  return { ...JSON.parse(document), execution_history: [] }
}

/** Remove those of the documents that no workflow, revision, draft or run uses any more. */
export async function removeUnusedDocuments(
  connection: Connection,
  digests: readonly string[],
): Promise<void> {
  for await (const some of batches(digests))
    await connection
      .deleteFrom('workflow_documents')
      .where('digest', 'in', some)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('workflows')
              .whereRef('workflows.document_digest', '=', 'workflow_documents.digest')
              .select('workflows.number'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('workflow_runs')
              .whereRef('workflow_runs.document_digest', '=', 'workflow_documents.digest')
              .select('workflow_runs.number'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('workflow_revisions')
              .whereRef('workflow_revisions.document_digest', '=', 'workflow_documents.digest')
              .select('workflow_revisions.revision'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('workflow_drafts')
              .whereRef('workflow_drafts.document_digest', '=', 'workflow_documents.digest')
              .select('workflow_drafts.base_revision'),
          ),
        ),
      )
      .execute()
}

/** The text is identical for a document that was parsed from it. */
function textOf({ execution_history: _, ...content }: Workflow): string {
  return JSON.stringify(content)
}

async function isStored(connection: Connection, digest: string): Promise<boolean> {
  const found = await connection
    .selectFrom('workflow_documents')
    .select('digest')
    .where('digest', '=', digest)
    .executeTakeFirst()
  return found !== undefined
}
