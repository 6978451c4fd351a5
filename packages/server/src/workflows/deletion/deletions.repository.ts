import { yieldIfDue } from '../../concurrency/event-loop.js'
import type { Connection, Database } from '../../database/database.js'
import { removeUnusedDocuments } from '../documents.repository.js'
import { RevisionsRepository } from '../revisions/revisions.repository.js'

/** Rows that one statement deletes, so that other statements wait only milliseconds. */
const ROWS = 1000
const RUNS = 200

/** Deleted workflows: marked, so that they are no longer found, and then removed row by row. */
export class DeletionsRepository {
  constructor(private readonly database: Database) {}

  /** Durable. @returns false if the workflow does not exist. */
  async mark(workflowId: string): Promise<boolean> {
    const { numUpdatedRows } = await this.database
      .updateTable('workflows')
      .set({ deleted_at: new Date().toISOString() })
      .where('workflow_id', '=', workflowId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Workflows that are marked but not yet removed. */
  async marked(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('workflows')
      .select('workflow_id')
      .where('deleted_at', 'is not', null)
      .orderBy('number')
      .execute()
    return rows.map(({ workflow_id }) => workflow_id)
  }

  /**
   * Remove all data of a workflow, batch by batch: after each batch, other statements are executed and the caller may stop. No batch waits
   * for the disk, because the mark has done so.
   */
  async *removeContents(workflowId: string): AsyncGenerator<void, void, void> {
    yield* this.#removeRuns(workflowId)
    yield* this.#batches((connection) =>
      connection
        .deleteFrom('workflow_executions')
        .where('number', 'in', (eb) =>
          eb
            .selectFrom('workflow_executions')
            .select('number')
            .where('workflow_id', '=', workflowId)
            .limit(ROWS),
        )
        .executeTakeFirst(),
    )
    yield* this.#batches((connection) =>
      connection
        .deleteFrom('workflow_made')
        .where('workflow_id', '=', workflowId)
        .where('node', 'in', (eb) =>
          eb.selectFrom('workflow_made').select('node').where('workflow_id', '=', workflowId).limit(ROWS),
        )
        .executeTakeFirst(),
    )
  }

  /** Remove the workflow itself, last and durably: as long as it exists, the removal is incomplete. */
  async remove(workflowId: string): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .selectFrom('workflows')
        .select('document_digest')
        .where('workflow_id', '=', workflowId)
        .execute()
      await new RevisionsRepository(this.database).removeAll(workflowId, transaction)
      await transaction.deleteFrom('workflows').where('workflow_id', '=', workflowId).execute()
      await removeUnusedDocuments(
        transaction,
        rows.map(({ document_digest }) => document_digest),
      )
    })
  }

  async *#removeRuns(workflowId: string): AsyncGenerator<void, void, void> {
    for (;;) {
      const runs = await this.database
        .selectFrom('workflow_runs')
        .select(['run_id', 'document_digest'])
        .where('workflow_id', '=', workflowId)
        .orderBy('number')
        .limit(RUNS)
        .execute()
      if (runs.length === 0) return
      const ids = runs.map(({ run_id }) => run_id)
      yield* this.#batches((connection) =>
        connection
          .deleteFrom('workflow_run_nodes')
          .where(({ eb, refTuple, selectFrom }) =>
            eb(
              refTuple('run_id', 'node'),
              'in',
              selectFrom('workflow_run_nodes')
                .select(['run_id', 'node'])
                .where('run_id', 'in', ids)
                .limit(ROWS)
                .$asTuple('run_id', 'node'),
            ),
          )
          .executeTakeFirst(),
      )
      await this.database.withoutWaiting(async (transaction) => {
        await transaction.deleteFrom('workflow_runs').where('run_id', 'in', ids).execute()
        const digests = new Set(runs.map(({ document_digest }) => document_digest))
        await removeUnusedDocuments(transaction, [...digests])
      })
      yield
    }
  }

  /** Deletes with `remove`, at most ROWS at a time, until no row remains. */
  async *#batches(
    remove: (connection: Connection) => Promise<{ readonly numDeletedRows: bigint }>,
  ): AsyncGenerator<void, void, void> {
    for (;;) {
      await yieldIfDue()
      const { numDeletedRows } = await this.database.withoutWaiting(remove)
      yield
      if (numDeletedRows < ROWS) return
    }
  }
}
