import type { NodeState } from '@medloom/contracts'
import { forceOfResume } from '@medloom/workflow'
import type { FastifyBaseLogger } from 'fastify'
import type { WorkflowsRepository } from '../workflows.repository.js'
import type { ActiveRuns } from './active-runs.js'
import type { RunPlanner } from './run-planner.js'
import { countNodes, goalsOf, type RunsRepository, type StoredRun } from './runs.repository.js'
import { storeEnd } from './store-end.js'

/** A run during which the service ended this often is not started again. */
const MAX_ATTEMPTS = 5

/**
 * Continue the runs that an earlier service left unfinished, under their own id: what had finished comes from the cache, a training
 * that still runs is followed again, and a node that was forced and has succeeded is not forced again.
 */
export async function recoverRuns(
  repositories: { readonly repository: RunsRepository; readonly workflows: WorkflowsRepository },
  planner: RunPlanner,
  activeRuns: ActiveRuns,
  log: FastifyBaseLogger,
): Promise<void> {
  const { repository } = repositories
  for (const run of await repository.unfinished()) {
    const states = await repository.nodes(run.run_id)
    const force = forceOfResume(run.force, states)
    try {
      if (run.request === 'cancel') throw new Error('the run was cancelled before the service ended')
      if (run.attempt >= MAX_ATTEMPTS)
        throw new Error(`the service ended ${run.attempt} times during this run`)
      const runnable = await planner.check(run.workflow, goalsOf({ ...run, force }))
      await repository.update(run.run_id, { attempt: run.attempt + 1 })
      activeRuns.start({ ...run, force, status: 'pending' }, runnable)
    } catch (error) {
      log.warn({ err: error, run_id: run.run_id }, 'a run could not be recovered')
      await abandon(repositories, run, states, (error as Error).message)
    }
  }
}

/** Ends a run that does not go on. No node is left pending or running. */
function abandon(
  repositories: Parameters<typeof storeEnd>[0],
  run: StoredRun,
  before: Readonly<Record<string, NodeState>>,
  reason: string,
): Promise<void> {
  const states = Object.entries(before).map(([node, state]): [string, NodeState] => [
    node,
    state.status === 'pending' || state.status === 'running'
      ? { ...state, status: 'skipped', reason }
      : state,
  ])
  const status = run.request === 'cancel' ? 'cancelled' : 'error'
  const { progress } = run
  const counts = countNodes(states.map(([, state]) => state))
  return storeEnd(repositories, run, { status, reason, progress, counts, states, renewed: [], metrics: {} })
}
