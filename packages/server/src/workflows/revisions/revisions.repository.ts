import { MAX_REVISIONS, type Workflow, type WorkflowRevision } from '@medloom/contracts'
import type { Connection, Database } from '../../database/database.js'
import { type Page, readPageToken, toPage } from '../../http/pagination.js'
import { readDocument, removeUnusedDocuments, storeDocument } from '../documents.repository.js'

export interface StoredDraft {
  readonly base_revision: number
  readonly updated_at: string
  readonly workflow: Workflow
}

/** The revisions of workflows, including the current one, and unsaved drafts of editors. Documents are shared by digest. */
export class RevisionsRepository {
  constructor(private readonly database: Database) {}

  /** Store a new revision, and remove the oldest beyond the limit. */
  async add(
    workflow_id: string,
    { revision, digest, workflow }: { revision: number; digest: string; workflow: Workflow },
    created_at: string,
    connection: Connection,
  ): Promise<void> {
    const num_nodes = workflow.nodes.length
    await connection
      .insertInto('workflow_revisions')
      .values({ workflow_id, revision, num_nodes, document_digest: digest, created_at })
      .execute()
    const old = await connection
      .selectFrom('workflow_revisions')
      .select(['revision', 'document_digest'])
      .where('workflow_id', '=', workflow_id)
      .where('revision', '<=', revision - MAX_REVISIONS)
      .execute()
    if (old.length === 0) return
    await connection
      .deleteFrom('workflow_revisions')
      .where('workflow_id', '=', workflow_id)
      .where('revision', '<=', revision - MAX_REVISIONS)
      .execute()
    await removeUnusedDocuments(connection, [...new Set(old.map((row) => row.document_digest))])
  }

  /** Newest first. */
  async list(workflowId: string, size: number, token: string | undefined): Promise<Page<WorkflowRevision>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('workflow_revisions')
      .select(['revision', 'num_nodes', 'created_at'])
      .where('workflow_id', '=', workflowId)
      .orderBy('revision', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('revision', '<', before)
    const rows = (await query.execute()).map((row) => ({ ...row, number: row.revision }))
    const page = toPage(rows, size)
    return { ...page, items: page.items.map(({ number: _, ...row }) => row) }
  }

  async find(
    workflowId: string,
    revision: number,
  ): Promise<(WorkflowRevision & { readonly workflow: Workflow }) | undefined> {
    const row = await this.database
      .selectFrom('workflow_revisions')
      .innerJoin('workflow_documents', 'workflow_documents.digest', 'workflow_revisions.document_digest')
      .select(['revision', 'num_nodes', 'created_at', 'document'])
      .where('workflow_id', '=', workflowId)
      .where('revision', '=', revision)
      .executeTakeFirst()
    if (!row) return undefined
    const { document, ...rest } = row
    return { ...rest, workflow: readDocument(document) }
  }

  async draft(workflowId: string): Promise<StoredDraft | undefined> {
    const row = await this.database
      .selectFrom('workflow_drafts')
      .innerJoin('workflow_documents', 'workflow_documents.digest', 'workflow_drafts.document_digest')
      .select(['base_revision', 'updated_at', 'document'])
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    if (!row) return undefined
    const { document, ...rest } = row
    return { ...rest, workflow: readDocument(document) }
  }

  /** Time at which the draft was stored; undefined: there is none. */
  async draftTime(workflowId: string, connection: Connection = this.database): Promise<string | undefined> {
    const row = await connection
      .selectFrom('workflow_drafts')
      .select('updated_at')
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    return row?.updated_at
  }

  /** Replaces the previous draft. */
  async saveDraft(
    workflow_id: string,
    { workflow, ...draft }: StoredDraft,
    connection: Connection,
  ): Promise<void> {
    await this.removeDraft(workflow_id, connection)
    const document_digest = await storeDocument(connection, workflow)
    await connection
      .insertInto('workflow_drafts')
      .values({ workflow_id, ...draft, document_digest })
      .execute()
  }

  async removeDraft(workflowId: string, connection: Connection): Promise<void> {
    const rows = await connection
      .selectFrom('workflow_drafts')
      .select('document_digest')
      .where('workflow_id', '=', workflowId)
      .execute()
    if (rows.length === 0) return
    await connection.deleteFrom('workflow_drafts').where('workflow_id', '=', workflowId).execute()
    await removeUnusedDocuments(
      connection,
      rows.map((row) => row.document_digest),
    )
  }

  /** Remove everything of a workflow that is removed. */
  async removeAll(workflowId: string, connection: Connection): Promise<void> {
    await this.removeDraft(workflowId, connection)
    const rows = await connection
      .selectFrom('workflow_revisions')
      .select('document_digest')
      .where('workflow_id', '=', workflowId)
      .execute()
    await connection.deleteFrom('workflow_revisions').where('workflow_id', '=', workflowId).execute()
    await removeUnusedDocuments(connection, [...new Set(rows.map((row) => row.document_digest))])
  }
}
