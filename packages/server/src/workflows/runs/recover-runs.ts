import { joinTexts, type NodeState, type Phrase, phrase, type Text, textOf } from '@medloom/contracts'
import { forceOfResume, NotRunnable, reasonOf } from '@medloom/workflow'
import { AppError } from '../../errors.js'
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
      if (run.request === 'cancel') await stopTrainings(options, run.run_id, states)
      const ended = whyEnded(run)
      if (ended) {
        await abandon(options, run, states, textOf(ended))
        continue
      }
      const runnable = await planner.check(run.workflow, goalsOf({ ...run, force }))
      const attempt = run.attempt + 1
      await repository.update(run.run_id, { attempt })
      activeRuns.start({ ...run, force, attempt, status: 'pending' }, runnable)
    } catch (error) {
      service.log.warn({ err: error, run_id: run.run_id }, 'a run could not be recovered')
      await abandon(options, run, states, causeOf(error))
    }
  }
}

/** Reason why a run is not continued; null if it is. */
function whyEnded({ request, attempt }: StoredRun): Phrase | null {
  if (request === 'cancel') return phrase('run_canceled_before')
  return attempt >= MAX_ATTEMPTS ? phrase('service_stopped_in_run', { count: attempt }) : null
}

function causeOf(error: unknown): Text {
  if (error instanceof AppError) return error.text
  if (!(error instanceof NotRunnable)) return { english: (error as Error).message }
  const texts = error.issues.map(({ message, message_phrases: phrases }) => ({ english: message, phrases }))
  return joinTexts(texts, 'semicolon')
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
  text: Text,
): Promise<void> {
  const reason = reasonOf(text)
  const states = Object.entries(before).map(([node, state]): [string, NodeState] => [
    node,
    state.status === 'pending' || state.status === 'running'
      ? { ...state, status: 'skipped', ...reason }
      : state,
  ])
  const status = run.request === 'cancel' ? 'cancelled' : 'error'
  const { progress } = run
  const counts = countNodes(states.map(([, state]) => state))
  return storeEnd(repositories, run, {
    status,
    ...reason,
    progress,
    counts,
    states,
    renewed: [],
    metrics: {},
  })
}
