import { PHRASES, phrase, type Text, textOf } from '@medloom/contracts'
import type { Pause } from '../cooperative-steps.js'
import type { Graph } from '../graph/graph.js'
import type { RunState } from './run-state.js'

interface EndedRun {
  readonly graph: Graph
  readonly state: RunState
  /** Reason for nodes that were not run and do not depend on a failed node. */
  readonly why: Text
  readonly pause?: Pause
}

/** At the end of a run, no node stays pending or running, and each has a reason for its missing result. `order` is topological. */
export async function skipUnfinished(
  order: readonly number[],
  { graph, state, why, pause }: EndedRun,
): Promise<void> {
  /** Node id → the failed node that it depends on, or is itself. */
  const failedAbove = new Map<string, string>()
  for (const number of order) {
    const waits = pause?.()
    if (waits) await waits
    const id = graph.nodes[number]?.id ?? ''
    const before = state.node(id).status
    if (before === 'error') failedAbove.set(id, id)
    if (before !== 'pending' && before !== 'running') continue
    const above = graph.incoming[number]?.find(({ connection }) => failedAbove.has(connection.source))
    const failed = above && failedAbove.get(above.connection.source)
    if (failed !== undefined) failedAbove.set(id, failed)
    const reason =
      before === 'running'
        ? { english: PHRASES.node_canceled }
        : failed !== undefined
          ? textOf(phrase('depends_on_failed', { node: failed }))
          : why
    state.nodeBecomes(id, 'skipped', { reason })
  }
}
