import {
  LISTED_WORKFLOW,
  type RunStatus,
  WORKFLOW_LIMITS,
  type Workflow,
  type WorkflowExecution,
  type WorkflowRecord,
} from '@medloom/contracts'
import { sql } from 'kysely'
import type { z } from 'zod'
import { batches } from '../database/batches.js'
import type { Connection, Database } from '../database/database.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'
import { readDocument, storeDocument } from './documents.repository.js'
import { RevisionsRepository } from './revisions/revisions.repository.js'

export type Execution = z.infer<typeof WorkflowExecution>

export interface StoredWorkflow {
  readonly workflow_id: string
  readonly revision: number
  /** Digest of the document. */
  readonly digest: string
  readonly workflow: Workflow
}

/** The saved workflows that are not deleted. Their executions are in a separate table: a run adds one and changes no revision. */
export class WorkflowsRepository {
  readonly revisions: RevisionsRepository

  constructor(readonly database: Database) {
    this.revisions = new RevisionsRepository(database)
  }

  async insert(
    workflowId: string,
    workflow: Workflow,
    connection: Connection,
    owner: string | null = null,
  ): Promise<StoredWorkflow> {
    const now = new Date().toISOString()
    const digest = await storeDocument(connection, workflow)
    await connection
      .insertInto('workflows')
      .values({
        workflow_id: workflowId,
        revision: 1,
        document_digest: digest,
        ...columnsOf(workflow),
        owner,
        created_at: now,
        updated_at: now,
      })
      .execute()
    await this.revisions.add(workflowId, { revision: 1, digest, workflow }, now, connection)
    const history = workflow.execution_history
    for await (const some of batches(history)) await insertExecutions(workflowId, some, connection)
    return { workflow_id: workflowId, revision: 1, digest, workflow: withHistory(workflow, history) }
  }

  /** Replace the document. @returns undefined when `expected` is not the current revision. */
  async update(
    workflowId: string,
    workflow: Workflow,
    expected: number,
    connection: Connection,
  ): Promise<StoredWorkflow | undefined> {
    const before = await this.#latest(workflowId, connection)
    if (before?.revision !== expected) return undefined
    const digest = await storeDocument(connection, workflow)
    const revision = expected + 1
    const now = new Date().toISOString()
    await connection
      .updateTable('workflows')
      .set({ revision, document_digest: digest, ...columnsOf(workflow), updated_at: now })
      .where('workflow_id', '=', workflowId)
      .execute()
    await this.revisions.add(workflowId, { revision, digest, workflow }, now, connection)
    await this.revisions.removeDraft(workflowId, connection)
    const history = await this.#executions(workflowId, connection)
    return { workflow_id: workflowId, revision, digest, workflow: withHistory(workflow, history) }
  }

  /** Includes its newest executions. */
  async find(
    workflowId: string,
    connection: Connection = this.database,
  ): Promise<StoredWorkflow | undefined> {
    const found = await this.definition(workflowId, connection)
    if (!found) return undefined
    const history = await this.#executions(workflowId, connection)
    return { ...found, workflow: withHistory(found.workflow, history) }
  }

  /** Without executions. */
  async definition(
    workflowId: string,
    connection: Connection = this.database,
  ): Promise<StoredWorkflow | undefined> {
    const row = await connection
      .selectFrom('workflows')
      .innerJoin('workflow_documents', 'workflow_documents.digest', 'workflows.document_digest')
      .select(['workflow_id', 'revision', 'digest', 'document'])
      .where('workflow_id', '=', workflowId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!row) return undefined
    const { document, ...rest } = row
    return { ...rest, workflow: readDocument(document) }
  }

  async has(workflowId: string): Promise<boolean> {
    return (await this.revision(workflowId)) !== undefined
  }

  /** The current revision, if the workflow exists. */
  async revision(workflowId: string, connection: Connection = this.database): Promise<number | undefined> {
    return (await this.#latest(workflowId, connection))?.revision
  }

  #latest(workflowId: string, connection: Connection) {
    return connection
      .selectFrom('workflows')
      .select(['revision', 'document_digest'])
      .where('workflow_id', '=', workflowId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
  }

  addExecution(workflowId: string, execution: Execution, connection: Connection): Promise<void> {
    return insertExecutions(workflowId, [execution], connection)
  }

  /** The newest executions, oldest first. */
  async #executions(workflowId: string, connection: Connection): Promise<Execution[]> {
    const rows = await connection
      .selectFrom('workflow_executions')
      .select('execution')
      .where('workflow_id', '=', workflowId)
      .orderBy('number', 'desc')
      .limit(WORKFLOW_LIMITS.workflow_executions)
      .execute()
    return rows.reverse().map(({ execution }) => JSON.parse(execution))
  }

  async list(size: number, token: string | undefined, owner?: string): Promise<Page<WorkflowRecord>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('workflows')
      .leftJoin('workflow_runs as run', (join) =>
        join.on('run.number', '=', (select) =>
          select
            .selectFrom('workflow_runs')
            .whereRef('workflow_runs.workflow_id', '=', 'workflows.workflow_id')
            .select((latest) => latest.fn.max('workflow_runs.number').as('number')),
        ),
      )
      .select([
        'workflows.number',
        'workflows.workflow_id',
        'workflows.revision',
        'workflows.name',
        sql<string>`substr(workflows.description, 1, ${sql.lit(LISTED_WORKFLOW.description)})`.as(
          'description',
        ),
        'workflows.tags',
        'workflows.num_nodes',
        'workflows.owner',
        'workflows.created_at',
        'workflows.updated_at',
        'run.run_id',
        'run.status',
      ])
      .where('workflows.deleted_at', 'is', null)
      .orderBy('workflows.number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('workflows.number', '<', before)
    if (owner !== undefined) query = query.where('workflows.owner', '=', owner)
    const page = toPage(await query.execute(), size)
    return {
      ...page,
      items: page.items.map(({ number: _, run_id, status, tags, ...record }) => ({
        ...record,
        tags: (JSON.parse(tags) as string[]).slice(0, LISTED_WORKFLOW.tags),
        last_run: run_id === null ? null : { run_id, status: status as RunStatus },
      })),
    }
  }
}

async function insertExecutions(
  workflow_id: string,
  executions: readonly Execution[],
  connection: Connection,
): Promise<void> {
  await connection
    .insertInto('workflow_executions')
    .values(executions.map((execution) => ({ workflow_id, execution: JSON.stringify(execution) })))
    .execute()
}

function withHistory(workflow: Workflow, history: readonly Execution[]): Workflow {
  return { ...workflow, execution_history: history.slice(-WORKFLOW_LIMITS.workflow_executions) }
}

function columnsOf({ metadata: { name, description, tags }, nodes }: Workflow) {
  return { name, description, tags: JSON.stringify(tags), num_nodes: nodes.length }
}
