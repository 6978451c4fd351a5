import type { NodeState, RunStatus } from '@medloom/contracts'
import type { Execution, WorkflowsRepository } from '../workflows.repository.js'
import type { NodeCounts, RenewedResult, RunsRepository, StoredRun } from './runs.repository.js'

export interface RunEnd {
  readonly status: RunStatus
  readonly reason: string | null
  readonly reason_phrases?: NodeState['reason_phrases']
  readonly progress: number
  /** Counts of all nodes. */
  readonly counts: NodeCounts
  /** States that changed since they were stored. */
  readonly states: readonly (readonly [string, NodeState])[]
  /** Results that differ from those of the previous run. */
  readonly renewed: readonly RenewedResult[]
  readonly metrics: Execution['metrics']
}

/** Store the end of a run, whatever its cause, and its entry in the history of the workflow: both or neither. */
export async function storeEnd(
  { repository, workflows }: { readonly repository: RunsRepository; readonly workflows: WorkflowsRepository },
  run: StoredRun,
  { status, reason, reason_phrases, progress, counts, states, renewed, metrics }: RunEnd,
): Promise<void> {
  const ended = new Date()
  const duration = (ended.getTime() - Date.parse(run.created_at)) / 1000
  await repository.database.transaction().execute(async (transaction) => {
    await repository.saveNodes(run.run_id, states, transaction)
    await repository.saveMade(run.workflow_id, renewed, transaction)
    const changes = { status, reason, reason_phrases, progress, counts, ended_at: ended.toISOString() }
    await repository.update(run.run_id, changes, transaction)
    const execution = { timestamp: run.created_at, status, duration, metrics }
    await workflows.addExecution(run.workflow_id, execution, transaction)
  })
}
