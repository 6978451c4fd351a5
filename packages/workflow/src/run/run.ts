import { PHRASES, phrase, textOf, type WorkflowIssue } from '@medloom/contracts'
import { sha256 } from '../cache/sha256.js'
import { forceOfResume } from '../plan/plan.js'
import { scopeOf } from '../plan/scope.js'
import { Cancellation } from './cancellation.js'
import type { RunOptions, RunResult } from './run-options.js'
import { RunState } from './run-state.js'
import { Schedule } from './schedule.js'
import { skipUnfinished } from './skip-unfinished.js'

/** The request cannot be run: the workflow, or a name in the request, is invalid. */
export class NotRunnable extends Error {
  override readonly name = 'NotRunnable'

  constructor(readonly issues: readonly WorkflowIssue[]) {
    super(issues.map((issue) => issue.message).join('; '))
  }
}

/**
 * Runs the nodes that the targets need. Nodes start as soon as their inputs are available and their resource is free. A node whose key is
 * cached is not run; keys are based on content digests, so a node that returns the same bytes again leaves everything downstream cached.
 * After the first failure, running nodes finish and no other starts. A cancellation ends the run within `cancelGrace`.
 * @throws NotRunnable
 */
export async function runWorkflow(options: RunOptions): Promise<RunResult> {
  const { validated, cancellation = new Cancellation(), hash = sha256 } = options
  const scope = scopeOf(validated, options, options.issues)
  if (!scope.ok) throw new NotRunnable(scope.issues)

  const ids = scope.order.map((number) => validated.graph.nodes[number]?.id ?? '')
  const state = new RunState(ids, options.clock, options.onEvent ?? (() => {}))
  state.runBecomes('running')
  const schedule = new Schedule({ ...options, cancellation, hash }, scope, state)
  await schedule.run()

  const unfinished = ids.some((id) => ['pending', 'running'].includes(state.node(id).status))
  const cancelled = cancellation.requested && unfinished
  const { failed } = schedule
  const status = cancelled ? 'cancelled' : failed === undefined ? 'success' : 'error'
  const reason = cancelled
    ? { english: PHRASES.run_cancelled }
    : failed === undefined
      ? null
      : textOf(phrase('node_failed', { node: failed }))
  await skipUnfinished(scope.order, {
    graph: validated.graph,
    state,
    why:
      failed === undefined || cancelled
        ? { english: PHRASES.run_canceled }
        : textOf(phrase('run_stopped_by', { node: failed })),
    ...(options.pause ? { pause: options.pause } : {}),
  })
  schedule.release()
  state.runBecomes(status, reason)
  state.rethrowListenerError()

  const nodes = Object.fromEntries(state.nodes)
  return { status, reason, nodes, made: schedule.made, force: forceOfResume(options.force ?? [], nodes) }
}
