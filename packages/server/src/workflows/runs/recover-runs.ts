import type { NodeState } from '@medloom/contracts'
import { forceOfResume } from '@medloom/workflow'
import type { FastifyBaseLogger } from 'fastify'
import type { ActiveRuns } from './active-runs.js'
import type { RunPlanner } from './run-planner.js'
import { goalsOf, type RunsRepository, type StoredRun } from './runs.repository.js'

/** A run during which the service ended this often is not started again. */
const MAX_ATTEMPTS = 5

/**
 * Continue the runs that an earlier service left unfinished, under their own id: what had finished comes from the cache, a training
 * that still runs is followed again, and a node that was forced and has succeeded is not forced again.
 */
export async function recoverRuns(
  repository: RunsRepository,
  planner: RunPlanner,
  activeRuns: ActiveRuns,
  log: FastifyBaseLogger,
): Promise<void> {
  for (const run of await repository.unfinished()) {
    const states = await repository.nodes(run.run_id)
    const force = forceOfResume(run.force, states)
    try {
      if (run.request === 'cancel') throw new Error('the run was cancelled before the service ended')
      if (run.attempt >= MAX_ATTEMPTS)
        throw new Error(`the service ended ${run.attempt} times during this run`)
      const runnable = await planner.check(run.workflow_id, run.workflow, goalsOf({ ...run, force }))
      await repository.update(run.run_id, { attempt: run.attempt + 1 })
      activeRuns.start({ ...run, force, status: 'pending' }, runnable)
    } catch (error) {
      log.warn({ err: error, run_id: run.run_id }, 'a run could not be recovered')
      await abandon(repository, run, states, (error as Error).message)
    }
  }
}

/** No node is left pending or running. */
async function abandon(
  repository: RunsRepository,
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
  await repository.database.transaction().execute(async (transaction) => {
    await repository.saveNodes(run.run_id, states, transaction)
    const ended_at = new Date().toISOString()
    const status = run.request === 'cancel' ? 'cancelled' : 'error'
    await repository.update(run.run_id, { status, reason, ended_at }, transaction)
  })
}
