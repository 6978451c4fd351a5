import { hintOf, messageOf, phrase, suggest, type WorkflowIssue } from '@medloom/contracts'
import type { Disabled } from '../graph/disabled.js'
import { withAncestors } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'

export interface PlanRequest {
  /** Nodes to compute; absent: all. */
  readonly targets?: readonly string[] | undefined
  /** Nodes to run even if their result is cached. */
  readonly force?: readonly string[] | undefined
}

export type Scope =
  | {
      readonly ok: true
      /** Flags by node number. */
      readonly needed: Uint8Array
      /** Needed nodes in topological order. */
      readonly order: readonly number[]
      readonly force: ReadonlySet<number>
    }
  | { readonly ok: false; readonly issues: readonly WorkflowIssue[] }

/** Nodes that a request needs, unless one of them is invalid. Errors elsewhere in the workflow do not prevent it. */
export function scopeOf(
  { graph, order, disabled, issues }: Validated,
  { targets, force = [] }: PlanRequest,
  more: readonly WorkflowIssue[] = [],
): Scope {
  const refused: WorkflowIssue[] = []
  const numbers = (ids: readonly string[], path: string) =>
    ids.flatMap((id) => {
      const number = graph.numberOf.get(id)
      if (number === undefined) refused.push(unknownNode(id, path, graph.numberOf))
      return number === undefined ? [] : [number]
    })
  const starts = targets
    ? numbers(targets, 'targets')
    : [...graph.nodes.keys()].filter((number) => !disabled[number])
  if (targets)
    refused.push(...starts.flatMap((number) => disabledTarget(graph.nodes[number]?.id, disabled[number])))
  const needed = withAncestors(graph, starts)
  const forced = new Set(numbers(force, 'force'))
  const blocking = [...issues, ...more].filter(
    (issue) =>
      issue.severity === 'error' &&
      (!targets ||
        [issue.node, ...(issue.cycle ?? [])].some(
          (id) => id === undefined || needed[graph.numberOf.get(id) ?? -1],
        )),
  )
  if (refused.length > 0 || blocking.length > 0) return { ok: false, issues: [...refused, ...blocking] }
  return { ok: true, needed, order: order.filter((number) => needed[number]), force: forced }
}

function disabledTarget(id: string | undefined, why: Disabled | undefined): WorkflowIssue[] {
  if (id === undefined || !why) return []
  const reason =
    why.by === undefined
      ? phrase(why.why === 'bypassed' ? 'is_bypassed' : 'is_muted')
      : phrase('depends_on_muted', { node: why.by })
  return [
    {
      severity: 'error',
      path: 'targets',
      code: 'NODE_DISABLED',
      ...messageOf(phrase('node_does_not_run', { node: id, reason: [reason] })),
      ...hintOf(phrase('unmute', { node: why.by ?? id })),
      node: id,
    },
  ]
}

function unknownNode(id: string, path: string, known: ReadonlyMap<string, number>): WorkflowIssue {
  return {
    severity: 'error',
    path,
    code: 'UNKNOWN_NODE',
    ...messageOf(phrase('not_a_node', { node: id })),
    ...suggest(id, known.size <= 1000 ? known.keys() : []),
  }
}
