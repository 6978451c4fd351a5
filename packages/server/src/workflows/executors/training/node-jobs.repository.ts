import type { Transaction } from 'kysely'
import { upsert } from '../../../database/batches.js'
import type { Database } from '../../../database/database.js'
import type { Tables, WorkflowJobRow } from '../../../database/schema.js'

/** A node with everything that determines the result of its training. */
export type NodeOfJob = Pick<WorkflowJobRow, 'workflow_id' | 'node' | 'key'>

/** Training jobs that compute nodes. */
export class NodeJobsRepository {
  constructor(private readonly database: Database) {}

  find({
    workflow_id,
    node,
    key,
  }: NodeOfJob): Promise<Pick<WorkflowJobRow, 'job_id' | 'run_id'> | undefined> {
    return this.database
      .selectFrom('workflow_jobs')
      .select(['job_id', 'run_id'])
      .where('workflow_id', '=', workflow_id)
      .where('node', '=', node)
      .where('key', '=', key)
      .executeTakeFirst()
  }

  /** Jobs that this run has started. */
  async ofRun(runId: string): Promise<string[]> {
    const rows = await this.database
      .selectFrom('workflow_jobs')
      .select('job_id')
      .where('run_id', '=', runId)
      .execute()
    return rows.map(({ job_id }) => job_id)
  }

  /** Make this job compute the node; `run_id` is the run that started it. */
  save(row: WorkflowJobRow, transaction: Transaction<Tables>): Promise<void> {
    return upsert(transaction, 'workflow_jobs', ['workflow_id', 'node', 'key'], [row], (job) => job)
  }
}
