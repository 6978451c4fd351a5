import type { NodeState } from '@medloom/contracts'
import { counted } from '@medloom/contracts'
import { forceOfResume } from '@medloom/workflow'
import { stopTraining } from '../executors/training/follow-job.js'
import { NodeJobsRepository } from '../executors/training/node-jobs.repository.js'
import type { ActiveRuns, ActiveRunsOptions } from './active-runs.js'
import type { RunPlanner } from './run-planner.js'
import { countNodes, goalsOf, type StoredRun } from './runs.repository.js'
import { storeEnd } from './store-end.js'

/** A run during which the service ended this many times, each time early, is not started again. */
const MAX_ATTEMPTS = 5

/**
 * Continue the runs that an earlier service left unfinished, under their own id: finished results come from the cache, a training that
 * still runs is followed again, and a forced node that has succeeded is not forced again.
 */
export async function recoverRuns(
  options: Pick<ActiveRunsOptions, 'repository' | 'workflows' | 'service' | 'executors'>,
  planner: RunPlanner,
  activeRuns: ActiveRuns,
): Promise<void> {
  const { repository, service } = options
  for (const run of await repository.unfinished()) {
    const states = await repository.nodes(run.run_id)
    const force = forceOfResume(run.force, states)
    try {
      if (run.request === 'cancel') {
        await stopTrainings(options, run.run_id, states)
        throw new Error('the run was canceled before the service ended')
      }
      if (run.attempt >= MAX_ATTEMPTS)
        throw new Error(`the service stopped ${counted(run.attempt, 'time')} during this run`)
      const runnable = await planner.check(run.workflow, goalsOf({ ...run, force }))
      const attempt = run.attempt + 1
      await repository.update(run.run_id, { attempt })
      activeRuns.start({ ...run, force, attempt, status: 'pending' }, runnable)
    } catch (error) {
      service.log.warn({ err: error, run_id: run.run_id }, 'a run could not be recovered')
      await abandon(options, run, states, (error as Error).message)
    }
  }
}

/**
 * The service may have ended between the cancellation and the stop of the trainings, including those of earlier runs that this one
 * followed.
 */
async function stopTrainings(
  { executors, service }: Pick<ActiveRunsOptions, 'executors' | 'service'>,
  runId: string,
  states: Readonly<Record<string, NodeState>>,
): Promise<void> {
  const followed = Object.values(states).flatMap(({ job_id }) => job_id ?? [])
  const started = await new NodeJobsRepository(service.database).ofRun(runId)
  for (const jobId of new Set([...started, ...followed]))
    stopTraining(executors.trainings, jobId, service.log)
}

/** Ends a run that is not continued. No node is left pending or running. */
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
