import { nearest, PLAN_REASONS, type PlanReason, type PlanStep, type WorkflowIssue } from '@medloom/contracts'
import { cacheKey, changedFields, type KeyParts, keyParts, readsOutside } from '../cache/cache-key.js'
import type { ResultCache } from '../cache/result-cache.js'
import { type Hash, sha256 } from '../cache/sha256.js'
import { atOnce, type Sliced } from '../cooperative-steps.js'
import { withAncestors } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs } from '../values.js'
import { inputDigests } from './input-digests.js'

export interface PlanRequest {
  /** Nodes to compute; absent: all. */
  readonly targets?: readonly string[]
  /** Nodes to run although their result is cached. */
  readonly force?: readonly string[]
}

export interface PlanKnowledge {
  readonly cache: Pick<ResultCache, 'peek'>
  /** Node id → digest of what it reads from outside, where it reads something. */
  readonly sources?: ReadonlyMap<string, string>
  /** Node id → what its latest result was made from; only for the wording of reasons. */
  readonly previous?: { get(node: string): { readonly parts: KeyParts } | undefined }
  /** Issues beyond those of validation (inference, paths). */
  readonly issues?: readonly WorkflowIssue[]
  readonly hash?: Hash
}

export type Planned =
  | {
      readonly ok: true
      readonly steps: readonly PlanStep[]
      readonly counts: Record<PlanStep['action'], number>
    }
  | { readonly ok: false; readonly issues: readonly WorkflowIssue[] }

/**
 * What a run would do with every node, and why. Dry run, incremental and forced execution, partial execution and resuming after a
 * failure are all this function: the cache alone says what is done, no old status is ever copied.
 */
export function plan(validated: Validated, request: PlanRequest, knowledge: PlanKnowledge): Planned {
  return atOnce(planning(validated, request, knowledge))
}

export function* planning(
  validated: Validated,
  request: PlanRequest,
  knowledge: PlanKnowledge,
): Sliced<Planned> {
  // 1. The nodes that the targets need.
  const scope = scopeOf(validated, request, knowledge.issues)
  if (!scope.ok) return scope
  const { needed, force } = scope

  // 2. In topological order: reuse what is cached, run the rest.
  const { graph, definitions, configs } = validated
  const digest = inputDigests(validated, knowledge.hash ?? sha256)
  const reused = new Map<number, Outputs>()
  const steps: PlanStep[] = []
  for (const number of scope.order) {
    yield
    const node = graph.nodes[number]
    const definition = definitions[number]
    const config = configs[number]
    if (!node || !definition || !config) continue
    const source = readsOutside(definition, config) ? knowledge.sources?.get(node.id) : null
    const arriving = digest(number, (feeding) => reused.get(feeding))
    const decision = decide()
    steps.push({ node: node.id, ...decision })

    function decide(): Omit<PlanStep, 'node'> {
      if (!node || !definition || !config) return step('run', 'never_run')
      // 3. By hand, before any look at the cache. 4. Inputs that are not known yet. 5. What it reads from outside.
      if (force.has(number)) return step('run', 'forced')
      if (!arriving) return step('run', 'upstream_runs')
      if (source === undefined) return step('run', 'source_unknown')
      // 6. The key is known: the cache decides.
      const parts = keyParts(node, definition, config, arriving, source)
      const outputs = knowledge.cache.peek(cacheKey(parts, knowledge.hash))
      if (outputs) {
        reused.set(number, outputs)
        return step('reuse', 'cached')
      }
      return step('run', ...whyNot(parts, knowledge.previous?.get(node.id)?.parts))
    }
  }

  // 7. The rest is not needed.
  for (const [number, node] of graph.nodes.entries())
    if (!needed[number]) steps.push({ node: node.id, ...step('skip', 'not_needed') })

  const counts = { run: 0, reuse: 0, skip: 0 }
  for (const { action } of steps) counts[action]++
  return { ok: true, steps, counts }
}

/** What a run would leave to be forced when it is resumed: the forced nodes that have not succeeded. */
export function forceOfResume(
  force: readonly string[],
  nodes: Readonly<Record<string, { readonly status: string }>>,
): string[] {
  return force.filter((id) => nodes[id]?.status !== 'success')
}

export type Scope =
  | {
      readonly ok: true
      /** Flags by node number. */
      readonly needed: Uint8Array
      /** The needed nodes in topological order. */
      readonly order: readonly number[]
      readonly force: ReadonlySet<number>
    }
  | { readonly ok: false; readonly issues: readonly WorkflowIssue[] }

/** The nodes that a request needs, unless one of them is not valid. Faults elsewhere in the workflow do not stand in its way. */
export function scopeOf(
  { graph, order, issues }: Validated,
  { targets, force = [] }: PlanRequest,
  more: readonly WorkflowIssue[] = [],
): Scope {
  const unknown: WorkflowIssue[] = []
  const numbers = (ids: readonly string[], path: string) =>
    ids.flatMap((id) => {
      const number = graph.numberOf.get(id)
      if (number === undefined) unknown.push(unknownNode(id, path, graph.numberOf))
      return number === undefined ? [] : [number]
    })
  const needed = withAncestors(graph, targets ? numbers(targets, 'targets') : graph.nodes.keys())
  const forced = new Set(numbers(force, 'force'))
  const blocking = [...issues, ...more].filter(
    (issue) =>
      issue.severity === 'error' &&
      (!targets ||
        [issue.node, ...(issue.cycle ?? [])].some(
          (id) => id === undefined || needed[graph.numberOf.get(id) ?? -1],
        )),
  )
  if (unknown.length > 0 || blocking.length > 0) return { ok: false, issues: [...unknown, ...blocking] }
  return { ok: true, needed, order: order.filter((number) => needed[number]), force: forced }
}

function unknownNode(id: string, path: string, known: ReadonlyMap<string, number>): WorkflowIssue {
  const guess = nearest(id, known.size <= 1000 ? known.keys() : [])
  return {
    severity: 'error',
    path,
    code: 'UNKNOWN_NODE',
    message: `"${id}" is no node of this workflow`,
    ...(guess ? { hint: `Did you mean "${guess}"?` } : {}),
  }
}

function step(action: PlanStep['action'], reason: PlanReason, detail?: string): Omit<PlanStep, 'node'> {
  return { action, reason, message: detail ? `${PLAN_REASONS[reason]}: ${detail}` : PLAN_REASONS[reason] }
}

/** What changed since the latest result, the nearest cause first. */
function whyNot(now: KeyParts, before: KeyParts | undefined): [PlanReason, string?] {
  if (!before) return ['never_run']
  if (before.type !== now.type || before.version !== now.version) return ['implementation_changed']
  const fields = changedFields(before, now)
  if (fields.length > 0) return ['config_changed', fields.join(', ')]
  if (before.source !== now.source) return ['source_changed']
  const old = new Map(before.inputs.map(({ port, from, digest }) => [`${port} ${from}`, digest]))
  const ports = now.inputs.filter(({ port, from, digest }) => old.get(`${port} ${from}`) !== digest)
  if (ports.length > 0 || old.size !== now.inputs.length)
    return ['input_changed', [...new Set(ports.map(({ port }) => port))].join(', ')]
  return ['not_cached']
}
