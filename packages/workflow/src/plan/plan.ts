import {
  IMPLICIT_INPUTS,
  PLAN_REASONS,
  type PlanReason,
  type PlanStep,
  type WorkflowIssue,
} from '@medloom/contracts'
import { cacheKey, changedFields, type KeyParts, keyParts, readsOutside } from '../cache/cache-key.js'
import { changedVersions, type KeyContext, softwareOf, type Versions } from '../cache/key-context.js'
import type { ResultCache } from '../cache/result-cache.js'
import { type Hash, sha256 } from '../cache/sha256.js'
import type { Pause } from '../cooperative-steps.js'
import { waves } from '../graph/graph.js'
import type { Validated } from '../validate/validate.js'
import type { Outputs } from '../values.js'
import { implicitInputs, type SupplyImplicit } from './implicit-inputs.js'
import { type ArrivingValue, inputDigests } from './input-digests.js'
import { type PlanRequest, type Scope, scopeOf } from './scope.js'

export interface PlanKnowledge {
  readonly cache: Pick<ResultCache, 'peekMany'>
  /** Node id → digest of what it reads from outside, where it reads something. */
  readonly sources?: ReadonlyMap<string, string>
  /** The versions of the software that nodes use; absent: not known. */
  readonly software?: Versions
  /** The implicit inputs of nodes. What it throws means that they are not known. */
  readonly implicitInput?: SupplyImplicit
  /** What the latest results of these nodes were made from; only for the wording of reasons. */
  readonly previous?: (nodes: readonly string[]) => Promise<ReadonlyMap<string, { readonly parts: KeyParts }>>
  /** Issues beyond those of validation (inference, paths). */
  readonly issues?: readonly WorkflowIssue[]
  readonly hash?: Hash
  /** Asked between nodes, so that a long plan leaves time for what else its process does. */
  readonly pause?: Pause
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
export async function plan(
  validated: Validated,
  request: PlanRequest,
  knowledge: PlanKnowledge,
): Promise<Planned> {
  // 1. The nodes that the targets need.
  const scope = scopeOf(validated, request, knowledge.issues)
  if (!scope.ok) return scope

  // 2. Reuse what is cached, run the rest, and say why.
  const decisions = await decide(validated, scope, knowledge)
  await explainMisses(decisions, knowledge)

  // 3. In topological order; the rest is not needed.
  const { nodes } = validated.graph
  const stepOf = (number: number, { action, reason, detail }: Decision): PlanStep => ({
    node: nodes[number]?.id ?? '',
    action,
    reason,
    message: detail ? `${PLAN_REASONS[reason]}: ${detail}` : PLAN_REASONS[reason],
  })
  const steps = scope.order.flatMap((number) => {
    const decision = decisions.get(number)
    return decision ? [stepOf(number, decision)] : []
  })
  for (const number of nodes.keys())
    if (!scope.needed[number]) steps.push(stepOf(number, { action: 'skip', reason: 'not_needed' }))

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

interface Decision {
  readonly action: PlanStep['action']
  readonly reason: PlanReason
  readonly detail?: string | undefined
  /** Of a node that runs because its key is not cached. */
  readonly missed?: KeyParts
}

/** By node number. The nodes of a wave are looked up in the cache together: their keys depend on earlier waves alone. */
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
      // Almost always known at once: a plan of ten thousand nodes waits for few of them.
      const outside = lookedUp instanceof Promise ? await lookedUp : lookedUp
      // Forced by hand before any look at the cache; then inputs, and what is read from outside, that are not known yet.
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

/** What decides the result beside config and inputs, or why it is not known. */
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

async function explainMisses(decisions: Map<number, Decision>, { previous }: PlanKnowledge): Promise<void> {
  const missed = [...decisions].flatMap(([number, { missed }]) => (missed ? [{ number, parts: missed }] : []))
  if (missed.length === 0) return
  const before = await previous?.(missed.map(({ parts }) => parts.id))
  for (const { number, parts } of missed) {
    const [reason, detail] = whyNotCached(parts, before?.get(parts.id)?.parts)
    decisions.set(number, { action: 'run', reason, detail })
  }
}

/** What changed since the latest result, the nearest cause first. */
function whyNotCached(now: KeyParts, before: KeyParts | undefined): [PlanReason, string?] {
  if (!before) return ['never_run']
  if (before.type !== now.type) return ['implementation_changed']
  if (before.version !== now.version)
    return ['implementation_changed', `version ${before.version} → ${now.version}`]
  const software = softwareChange(before, now)
  if (software !== undefined) return ['software_changed', software]
  const fields = changedFields(before, now)
  if (fields.length > 0) return ['config_changed', fields.join(', ')]
  if (before.source !== now.source) return ['source_changed']
  const implicit = changedImplicit(before, now)
  if (implicit.length > 0) return ['implicit_input_changed', implicit.join(', ')]
  const old = new Map(before.inputs.map(({ port, from, digest }) => [`${port} ${from}`, digest]))
  const ports = now.inputs.filter(({ port, from, digest }) => old.get(`${port} ${from}`) !== digest)
  if (ports.length > 0 || old.size !== now.inputs.length)
    return ['input_changed', [...new Set(ports.map(({ port }) => port))].join(', ')]
  return ['not_cached']
}

function softwareChange(
  { software: before }: KeyParts,
  { software: now = {} }: KeyParts,
): string | undefined {
  if (Object.keys(now).length === 0) return undefined
  if (!before) return 'its versions were not recorded with the result'
  const changed = changedVersions(before, now)
  return changed.length > 0 ? changed.join(', ') : undefined
}

function changedImplicit({ implicit: before = {} }: KeyParts, { implicit: now = {} }: KeyParts): string[] {
  return Object.entries(now).flatMap(([name, digest]) =>
    before[name] === digest ? [] : [IMPLICIT_INPUTS[name as keyof typeof IMPLICIT_INPUTS]],
  )
}
