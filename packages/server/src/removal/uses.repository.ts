import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'

/** Workflow documents per statement. */
const SEARCHED = 100

/** An unfinished job that continues, or is fine-tuned, from a checkpoint of this one. */
export async function unfinishedContinuation(
  transaction: Transaction<Tables>,
  jobId: string,
): Promise<string | undefined> {
  const row = await transaction
    .selectFrom('jobs')
    .select('job_id')
    .where('resumed_from', '=', jobId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (row) return row.job_id
  const started = await transaction
    .selectFrom('jobs')
    .select(['job_id', 'fine_tuned_from'])
    .where('fine_tuned_from', 'is not', null)
    .where('ended_at', 'is', null)
    .execute()
  return started.find(({ fine_tuned_from }) => JSON.parse(fine_tuned_from ?? '{}').job_id === jobId)?.job_id
}

/** An unfinished run of a workflow in which this job computes a node. */
export async function activeRunUsing(
  transaction: Transaction<Tables>,
  jobId: string,
): Promise<{ run_id: string; workflow_id: string } | undefined> {
  return transaction
    .selectFrom('workflow_jobs')
    .innerJoin('workflow_runs', 'workflow_runs.workflow_id', 'workflow_jobs.workflow_id')
    .select(['workflow_runs.run_id', 'workflow_runs.workflow_id'])
    .where('workflow_jobs.job_id', '=', jobId)
    .where('workflow_runs.ended_at', 'is', null)
    .executeTakeFirst()
}

/** Nodes whose result this job computes, with the names of their workflows. */
export async function nodesComputedBy(
  transaction: Transaction<Tables>,
  jobId: string,
): Promise<{ node: string; name: string }[]> {
  return transaction
    .selectFrom('workflow_jobs')
    .innerJoin('workflows', 'workflows.workflow_id', 'workflow_jobs.workflow_id')
    .select(['workflow_jobs.node', 'workflows.name'])
    .distinct()
    .where('workflow_jobs.job_id', '=', jobId)
    .execute()
}

/** Remove the links from nodes to this job: the nodes are trained again when they are needed. */
export async function forgetNodesOf(transaction: Transaction<Tables>, jobId: string): Promise<void> {
  await transaction.deleteFrom('workflow_jobs').where('job_id', '=', jobId).execute()
}

/** The saved workflows with a node that loads this dataset. */
export async function workflowsLoading(
  transaction: Transaction<Tables>,
  datasetId: string,
): Promise<{ workflow_id: string; name: string }[]> {
  const { last } = await transaction
    .selectFrom('workflows')
    .select((eb) => eb.fn.max<number | null>('number').as('last'))
    .executeTakeFirstOrThrow()
  const found: { workflow_id: string; name: string }[] = []
  for (let from = 0; from < (last ?? 0); from += SEARCHED) {
    const rows = await transaction
      .selectFrom('workflows')
      .innerJoin('workflow_documents', 'workflow_documents.digest', 'workflows.document_digest')
      .select(['workflow_id', 'name', 'document'])
      .where('workflows.deleted_at', 'is', null)
      .where('workflows.number', '>', from)
      .where('workflows.number', '<=', from + SEARCHED)
      .where('document', 'like', `%${datasetId}%`)
      .execute()
    for (const { document, ...workflow } of rows) if (loads(document, datasetId)) found.push(workflow)
  }
  return found
}

function loads(document: string, datasetId: string): boolean {
  const { nodes } = JSON.parse(document) as { nodes: { config?: { dataset_id?: unknown } }[] }
  return nodes.some(({ config }) => config?.dataset_id === datasetId)
}
