import {
  after,
  listed,
  messageOf,
  type Phrase,
  PLAN_REASONS,
  type PlanChange,
  type PlanReason,
  type PlanStep,
  phrase,
  type WorkflowIssue,
} from '@medloom/contracts'
import { cacheKey, type KeyParts, keyParts, readsOutside } from '../cache/cache-key.js'
import { type KeyContext, softwareOf, type Versions } from '../cache/key-context.js'
import type { ResultCache } from '../cache/result-cache.js'
import { type Hash, sha256 } from '../cache/sha256.js'
import type { Pause } from '../cooperative-steps.js'
import type { Disabled } from '../graph/disabled.js'
import { waves } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs } from '../values.js'
import { cacheMissReason } from './cache-miss-reason.js'
import { implicitInputs, type SupplyImplicit } from './implicit-inputs.js'
import { type ArrivingValue, inputDigests } from './input-digests.js'
import { type PlanRequest, type Scope, scopeOf } from './scope.js'

export interface PlanKnowledge {
  readonly cache: Pick<ResultCache, 'peekMany'>
  /** Node id → digest of the external data that it reads, if any. */
  readonly sources?: ReadonlyMap<string, string>
  /** Versions of the software that nodes use; absent: unknown. */
  readonly software?: Versions
  /** Supplies the implicit inputs of nodes. If it throws, they are unknown. */
  readonly implicitInput?: SupplyImplicit
  /** Latest results of these nodes; only for the text of reasons, and for estimated durations. */
  readonly previous?: (nodes: readonly string[]) => Promise<ReadonlyMap<string, PreviousResult>>
  /** Issues in addition to those of validation (inference, paths). */
  readonly issues?: readonly WorkflowIssue[]
  readonly hash?: Hash
  /** Called between nodes, so that a long plan leaves time for other work of its process. */
  readonly pause?: Pause
}

export interface PreviousResult {
  /** Parts of the key of this result. */
  readonly parts: KeyParts
  /** Duration of that computation; null: unknown. */
  readonly seconds?: number | null
}

export type Planned =
  | {
      readonly ok: true
      readonly steps: readonly PlanStep[]
      readonly counts: Record<PlanStep['action'], number>
    }
  | { readonly ok: false; readonly issues: readonly WorkflowIssue[] }

/**
 * Planned action for every node, with the reason. Dry runs, incremental, forced and partial execution, and resuming after a failure all use
 * this function: only the cache determines what is done, and no old status is ever copied.
 */
export async function plan(
  validated: Validated,
  request: PlanRequest,
  knowledge: PlanKnowledge,
): Promise<Planned> {
  // 1. The nodes that the targets need.
  const scope = scopeOf(validated, request, knowledge.issues)
  if (!scope.ok) return scope

  // 2. Reuse cached results, run the rest, and give the reasons.
  const decisions = await decide(validated, scope, knowledge)
  const seconds = await compareWithPrevious(validated, decisions, knowledge)

  // 3. In topological order; the rest is not needed.
  const { nodes } = validated.graph
  const stepOf = (number: number, { action, reason, changes = [], by }: Decision): PlanStep => ({
    node: nodes[number]?.id ?? '',
    action,
    reason,
    ...messageOf(...inWords(reason, by === undefined ? changes.map(({ name }) => name) : [by])),
    changes: [...changes],
    estimate_seconds: action === 'run' ? (seconds.get(number) ?? null) : 0,
  })
  const steps = scope.order.flatMap((number) => {
    const decision = decisions.get(number)
    return decision ? [stepOf(number, decision)] : []
  })
  for (const number of nodes.keys())
    if (!scope.needed[number]) steps.push(stepOf(number, skipped(validated.disabled[number])))

  const counts = { run: 0, reuse: 0, skip: 0 }
  for (const { action } of steps) counts[action]++
  return { ok: true, steps, counts }
}

/** Forced nodes that have not succeeded, which a resumed run must force again. */
export function forceOfResume(
  force: readonly string[],
  nodes: Readonly<Record<string, { readonly status: string }>>,
): string[] {
  return force.filter((id) => nodes[id]?.status !== 'success')
}

interface Decision {
  readonly action: PlanStep['action']
  readonly reason: PlanReason
  readonly changes?: readonly PlanChange[] | undefined
  /** The node to which the reason refers. */
  readonly by?: string | undefined
  /** Key parts of a node that runs because its key is not cached. */
  readonly missed?: KeyParts
}

function skipped(disabled: Disabled | undefined): Decision {
  return { action: 'skip', reason: disabled?.why ?? 'not_needed', by: disabled?.by }
}

/** Decisions by node number. The nodes of a wave share one cache lookup: their keys depend only on earlier waves. */
async function decide(
  validated: Validated,
  { order, needed, force }: Extract<Scope, { ok: true }>,
  knowledge: PlanKnowledge,
): Promise<Map<number, Decision>> {
  const { graph, definitions, configs } = validated
  const arrivingAt = inputDigests(validated, knowledge.hash ?? sha256)
  const decisions = new Map<number, Decision>()
  const reused = new Map<number, Outputs>()
  for (const wave of waves(graph, order, needed)) {
    const lookups: { number: number; key: string; parts: KeyParts }[] = []
    for (const number of wave) {
      const waits = knowledge.pause?.()
      if (waits) await waits
      const node = graph.nodes[number]
      const definition = definitions[number]
      const config = configs[number]
      if (!node || !definition || !config) continue
      const arriving = arrivingAt(number, (feeding) => reused.get(feeding))
      const lookedUp =
        arriving && !force.has(number)
          ? keyContextOf(validated, number, arriving, (feeding) => reused.get(feeding), knowledge)
          : undefined
      // Almost always known immediately: a plan of ten thousand nodes waits for few of them.
      const outside = lookedUp instanceof Promise ? await lookedUp : lookedUp
      // Forced nodes first, without a cache lookup; then inputs and external data that are still unknown.
      if (force.has(number)) decisions.set(number, { action: 'run', reason: 'forced' })
      else if (!arriving || !outside) decisions.set(number, { action: 'run', reason: 'upstream_runs' })
      else if (typeof outside === 'string') decisions.set(number, { action: 'run', reason: outside })
      else {
        const parts = keyParts(node, definition, config, arriving, outside, knowledge.hash)
        lookups.push({ number, key: cacheKey(parts, knowledge.hash), parts })
      }
    }
    if (lookups.length === 0) continue
    const cached = await knowledge.cache.peekMany(lookups.map(({ key }) => key))
    for (const { number, key, parts } of lookups) {
      const outputs = cached.get(key)
      if (outputs) reused.set(number, outputs)
      decisions.set(
        number,
        outputs
          ? { action: 'reuse', reason: 'cached' }
          : { action: 'run', reason: 'not_cached', missed: parts },
      )
    }
  }
  return decisions
}

/** Everything besides config and inputs that determines the result, or the reason why it is unknown. */
function keyContextOf(
  validated: Validated,
  number: number,
  arriving: readonly ArrivingValue[],
  outputsOf: (number: number) => Outputs | undefined,
  { sources, software, implicitInput }: PlanKnowledge,
): KeyContext | PlanReason | Promise<KeyContext | PlanReason> {
  const node = validated.graph.nodes[number]
  const definition = validated.definitions[number]
  const config = validated.configs[number]
  if (!node || !definition || !config) return 'source_unknown'
  const source = readsOutside(definition, config) ? sources?.get(node.id) : null
  if (source === undefined) return 'source_unknown'
  if (definition.software && !software) return 'software_unknown'
  const known = { source, software: softwareOf(definition, software ?? {}), implicit: {} }
  if (!definition.implicit_inputs) return known
  return implicitInputs(validated, number, arriving, outputsOf, implicitInput).then(
    (implicit) => ({ ...known, implicit }),
    () => 'source_unknown',
  )
}

/** Adds the reasons for nodes whose results are not cached. @returns last duration of the nodes that run, by number */
async function compareWithPrevious(
  { graph, definitions }: Validated,
  decisions: Map<number, Decision>,
  { previous }: PlanKnowledge,
): Promise<Map<number, number>> {
  const running = [...decisions].filter(([, { action }]) => action === 'run')
  const seconds = new Map<number, number>()
  if (running.length === 0) return seconds
  const idOf = (number: number) => graph.nodes[number]?.id ?? ''
  const before = await previous?.(running.map(([number]) => idOf(number)))
  for (const [number, { missed }] of running) {
    const earlier = before?.get(idOf(number))
    if (typeof earlier?.seconds === 'number') seconds.set(number, earlier.seconds)
    if (!missed) continue
    const definition = definitions[number]
    if (!definition) continue
    const [reason, changes] = cacheMissReason(missed, earlier?.parts, definition)
    decisions.set(number, { action: 'run', reason, changes })
  }
  return seconds
}

function inWords(reason: PlanReason, names: readonly string[]): Phrase[] {
  const [first, ...others] = listed(names)
  return [phrase(PLAN_REASONS[reason]), ...(first ? [after('colon', first), ...others] : [])]
}
