import { type NodeContent, phrase, textOf } from '@medloom/contracts'
import { type Outputs, type RunResult, reasonOf } from '@medloom/workflow'
import type { FastifyBaseLogger } from 'fastify'
import { retry } from '../../concurrency/retry.js'
import { STORE_END_RETRY_MILLISECONDS } from '../../durations.js'
import type { ArtifactStore } from '../cache/artifact-store.js'
import type { ProjectFolder } from '../project/project-folder.js'
import { keepOutputs } from '../project/project-outputs.js'
import type { WorkflowsRepository } from '../workflows.repository.js'
import type { ActiveRun } from './active-run.js'
import { countNodes, type RenewedResult, type RunsRepository } from './runs.repository.js'
import { storeEnd } from './store-end.js'

export interface EndedRun {
  readonly active: ActiveRun
  /** Absent: the engine itself failed. */
  readonly result: RunResult | undefined
  readonly repository: RunsRepository
  readonly workflows: WorkflowsRepository
  readonly store: ArtifactStore
  readonly project: ProjectFolder
  readonly log: FastifyBaseLogger
}

/** The end of a run: writes its outputs into the project folder, stores its states and its entry in the history, then publishes the end. */
export async function finishRun(ended: EndedRun): Promise<void> {
  const { active, result, log } = ended
  const { run } = active
  const outputs = new Map([...(result?.made ?? [])].map(([node, { outputs }]) => [node, outputs]))
  const status = result?.status ?? 'error'
  const reason = result ? result.reason : textOf(phrase('run_defect_see_log'))
  if (!result) skipUnfinished(active)
  const renewed = await renewedBy(ended)
  await keepOutputs(ended.project, ended.store, {
    run,
    status,
    reason: reason?.english ?? null,
    nodes: active.nodes,
    outputs,
    renewed,
  }).catch((error) =>
    log.warn(
      { err: error, run_id: run.run_id },
      'outputs of a run could not be copied to its project folder',
    ),
  )
  const metrics = metricsOf(outputs)
  active.ending(status, reason?.english ?? null)
  const store = async (): Promise<boolean> => {
    if (active.detached) return false
    const states = await active.settled()
    const counts = countNodes(active.nodes.values())
    await storeEnd(ended, run, {
      status,
      ...reasonOf(reason),
      progress: active.progress,
      counts,
      states,
      renewed,
      metrics,
    })
    return true
  }
  const isStored = await retry(store, {
    delay: () => STORE_END_RETRY_MILLISECONDS,
    onFailure: (error) =>
      log.error({ err: error, run_id: run.run_id }, 'the end of a run could not be stored; trying again'),
  })
  if (isStored) active.finish(status, reasonOf(reason))
}

/** A cached result was not computed in this run: the earlier duration of the node is kept. */
async function renewedBy({ active, result, repository }: EndedRun): Promise<RenewedResult[]> {
  const before = await repository.made(active.run.workflow_id)
  return [...(result?.made ?? [])].flatMap(([node, { key, parts }]) => {
    const earlier = before.get(node)
    if (earlier?.key === key) return []
    return { node, key, parts, seconds: active.nodes.get(node)?.duration ?? earlier?.seconds ?? null }
  })
}

/** The main metrics of the run: those of its evaluations, otherwise of its trainings; prefixed by the node if there are several. */
function metricsOf(outputs: ReadonlyMap<string, Outputs>): Record<string, number | null> {
  const found = [...outputs].flatMap(([node, values]) =>
    Object.values(values).flatMap(({ content }) => {
      const { content: sort, metrics } = content as Extract<NodeContent, { metrics: unknown }>
      return sort === 'evaluation' || sort === 'history' ? [{ node, sort, metrics }] : []
    }),
  )
  const evaluations = found.filter(({ sort }) => sort === 'evaluation')
  const chosen = evaluations.length > 0 ? evaluations : found
  return Object.fromEntries(
    chosen.flatMap(({ node, metrics }) =>
      Object.entries(metrics).map(([name, value]) => [chosen.length > 1 ? `${node}.${name}` : name, value]),
    ),
  )
}

function skipUnfinished(active: ActiveRun): void {
  const reason = reasonOf(textOf(phrase('run_defect')))
  for (const [node, state] of active.nodes)
    if (state.status === 'pending' || state.status === 'running')
      active.take({ type: 'node_status', node, state: { ...state, status: 'skipped', ...reason } })
}
