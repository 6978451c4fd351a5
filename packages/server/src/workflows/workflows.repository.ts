import type { RunStatus, Workflow, WorkflowExecution, WorkflowRecord } from '@medloom/contracts'
import type { z } from 'zod'
import type { Connection, Database } from '../database/database.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'

export type Execution = z.infer<typeof WorkflowExecution>

export interface StoredWorkflow {
  readonly workflow_id: string
  readonly revision: number
  /** With its execution history. */
  readonly workflow: Workflow
}

/** The saved workflows. The history of executions stands beside the document: a run adds to it and changes no revision. */
export class WorkflowsRepository {
  constructor(readonly database: Database) {}

  async insert(workflowId: string, workflow: Workflow, connection: Connection): Promise<StoredWorkflow> {
    const now = new Date().toISOString()
    await connection
      .insertInto('workflows')
      .values({
        workflow_id: workflowId,
        revision: 1,
        ...columnsOf(workflow),
        execution_history: JSON.stringify(workflow.execution_history),
        created_at: now,
        updated_at: now,
      })
      .execute()
    return { workflow_id: workflowId, revision: 1, workflow }
  }

  /** Replace the document. @returns undefined when `expected` is not the revision that stands. */
  async update(
    workflowId: string,
    workflow: Workflow,
    expected: number,
    connection: Connection,
  ): Promise<StoredWorkflow | undefined> {
    const { numUpdatedRows } = await connection
      .updateTable('workflows')
      .set({ revision: expected + 1, ...columnsOf(workflow), updated_at: new Date().toISOString() })
      .where('workflow_id', '=', workflowId)
      .where('revision', '=', expected)
      .executeTakeFirst()
    return numUpdatedRows > 0n ? this.find(workflowId, connection) : undefined
  }

  async find(
    workflowId: string,
    connection: Connection = this.database,
  ): Promise<StoredWorkflow | undefined> {
    const row = await connection
      .selectFrom('workflows')
      .select(['workflow_id', 'revision', 'document', 'execution_history'])
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    if (!row) return undefined
    const workflow = { ...JSON.parse(row.document), execution_history: JSON.parse(row.execution_history) }
    return { workflow_id: row.workflow_id, revision: row.revision, workflow }
  }

  async has(workflowId: string): Promise<boolean> {
    return (await this.revision(workflowId)) !== undefined
  }

  /** The one that stands, if there is such a workflow. */
  async revision(workflowId: string): Promise<number | undefined> {
    const row = await this.database
      .selectFrom('workflows')
      .select('revision')
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    return row?.revision
  }

  async remove(workflowId: string): Promise<boolean> {
    const { numDeletedRows } = await this.database
      .deleteFrom('workflows')
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  async addExecution(workflowId: string, execution: Execution, connection: Connection): Promise<void> {
    const row = await connection
      .selectFrom('workflows')
      .select('execution_history')
      .where('workflow_id', '=', workflowId)
      .executeTakeFirst()
    if (!row) return
    const history = [...(JSON.parse(row.execution_history) as Execution[]), execution]
    await connection
      .updateTable('workflows')
      .set({ execution_history: JSON.stringify(history) })
      .where('workflow_id', '=', workflowId)
      .execute()
  }

  async list(size: number, token: string | undefined): Promise<Page<WorkflowRecord>> {
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
        'workflows.description',
        'workflows.tags',
        'workflows.num_nodes',
        'workflows.created_at',
        'workflows.updated_at',
        'run.run_id',
        'run.status',
      ])
      .orderBy('workflows.number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('workflows.number', '<', before)
    const page = toPage(await query.execute(), size)
    return {
      ...page,
      items: page.items.map(({ number: _, run_id, status, tags, ...record }) => ({
        ...record,
        tags: JSON.parse(tags),
        last_run: run_id === null ? null : { run_id, status: status as RunStatus },
      })),
    }
  }
}

function columnsOf({ execution_history: _, ...document }: Workflow) {
  const { name, description, tags } = document.metadata
  return {
    name,
    description,
    tags: JSON.stringify(tags),
    num_nodes: document.nodes.length,
    document: JSON.stringify(document),
  }
}
