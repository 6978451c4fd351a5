import type { NodeState, RunStatus, WorkflowIssue } from '@medloom/contracts'
import type { KeyParts } from '../cache/cache-key.js'
import type { ResultCache } from '../cache/result-cache.js'
import { type Hash, sha256 } from '../cache/sha256.js'
import type { Pause } from '../cooperative-steps.js'
import { forceOfResume, type PlanRequest, scopeOf } from '../plan/plan.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs } from '../values.js'
import { Cancellation } from './cancellation.js'
import type { Clock } from './clock.js'
import type { Executors } from './executor.js'
import type { Tokens } from './resource-semaphore.js'
import { type RunEvent, RunState } from './run-state.js'
import { Schedule } from './schedule.js'
import type { Flights } from './single-flight.js'

export interface RunOptions extends PlanRequest {
  /** Name of the workflow, under which its results are cached. */
  readonly workflow: string
  readonly validated: Validated
  /** Issues beyond those of validation (inference, paths). */
  readonly issues?: readonly WorkflowIssue[]
  readonly executors: Executors
  readonly cache: ResultCache
  readonly clock: Clock
  /** Shared by all runs. */
  readonly tokens: Tokens
  /** Shared by all runs. */
  readonly flights: Flights
  /** Digest of what a node reads from outside the workflow. What it throws is an error of that node. */
  readonly sourceDigest?: SourceDigest
  /**
   * Put the files that a result names where they belong, also when it was not computed now: whoever names a place finds there what the
   * run says. Nothing to do: undefined. What it throws is an error of that node.
   */
  readonly place?: (outputs: Outputs) => Promise<void> | undefined
  readonly cancellation?: Cancellation
  /** Milliseconds that running nodes have to end after a cancellation; absent: 5000. */
  readonly cancelGrace?: number
  /** Must not throw; what it throws is thrown when the run has ended. */
  readonly onEvent?: (event: RunEvent) => void
  readonly hash?: Hash
  /** Asked between nodes, so that a long run of quick ones leaves time for what else its process does. */
  readonly pause?: Pause
}

export type SourceDigest = (
  node: { readonly id: string; readonly type: string },
  config: Readonly<Record<string, unknown>>,
) => string | Promise<string>

export interface RunResult {
  readonly status: Exclude<RunStatus, 'pending' | 'running'>
  readonly reason: string | null
  /** The nodes that the targets need. */
  readonly nodes: Readonly<Record<string, NodeState>>
  /** By node, where there is a result. */
  readonly made: ReadonlyMap<string, Made>
  /** What to force when this run is resumed. */
  readonly force: readonly string[]
}

/** A result, and what it was made from: the plan after this one reads it. */
export interface Made {
  readonly key: string
  readonly parts: KeyParts
  readonly outputs: Outputs
}

/** The request cannot be run: the workflow, or a name in the request, is not valid. */
export class NotRunnable extends Error {
  override readonly name = 'NotRunnable'

  constructor(readonly issues: readonly WorkflowIssue[]) {
    super(issues.map((issue) => issue.message).join('; '))
  }
}

/**
 * Run what the targets need. Nodes start as soon as their inputs are there and a token of their resource is free. A node whose key is
 * cached is not run; keys are made of content digests, so a node that gives the same bytes again leaves everything below it cached.
 * The first failure lets running nodes finish and starts no other. A cancellation ends the run within `cancelGrace`.
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

  const unfinished = ids.some((id) => ['pending', 'running'].includes(state.of(id).status))
  const cancelled = cancellation.requested && unfinished
  const { failed } = schedule
  const status = cancelled ? 'cancelled' : failed === undefined ? 'success' : 'error'
  const reason = cancelled ? 'cancelled' : failed === undefined ? null : `"${failed}" failed`
  await skipTheRest()
  schedule.release()
  state.runBecomes(status, reason)
  state.rethrowFault()

  const nodes = Object.fromEntries(state.nodes)
  return { status, reason, nodes, made: schedule.made, force: forceOfResume(options.force ?? [], nodes) }

  /** No node is left pending or running, and each says why it has no result. */
  async function skipTheRest(): Promise<void> {
    const blockedBy = new Map<string, string>()
    for (const number of scope.ok ? scope.order : []) {
      const waits = options.pause?.()
      if (waits) await waits
      const id = validated.graph.nodes[number]?.id ?? ''
      const before = state.of(id).status
      if (before === 'error') blockedBy.set(id, id)
      if (before !== 'pending' && before !== 'running') continue
      const above = validated.graph.incoming[number]?.find(({ connection }) =>
        blockedBy.has(connection.source),
      )
      const blocker = above && blockedBy.get(above.connection.source)
      if (blocker !== undefined) blockedBy.set(id, blocker)
      const reason =
        before === 'running'
          ? 'cancelled while it ran'
          : blocker !== undefined
            ? `it needs "${blocker}", which failed`
            : cancelled
              ? 'the run was cancelled'
              : `the run stopped because "${failed}" failed`
      state.nodeBecomes(id, 'skipped', { reason })
    }
  }
}
