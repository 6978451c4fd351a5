import type { PlanReason, PlanStep } from '@medloom/contracts'
import { type Document, incoming } from './document'

type Step = Pick<PlanStep, 'node' | 'action' | 'reason'>

/** Reasons that mean that the result would differ; other reasons mean only that it is not cached or unknown. */
const CHANGED: ReadonlySet<PlanReason> = new Set([
  'config_changed',
  'implementation_changed',
  'software_changed',
  'input_changed',
  'source_changed',
  'implicit_input_changed',
])

/** Nodes whose latest results do not match the document: one of their inputs has changed, or an upstream node is outdated. */
export function outdatedNodes(document: Document, steps: readonly Step[]): ReadonlySet<string> {
  const known = new Map(steps.map((step) => [step.node, step]))
  const outdated = new Set<string>()
  // The plan lists nodes in topological order.
  for (const { node, action, reason } of known.values()) {
    const isDownstream =
      action !== 'reuse' && incoming(document, node).some(({ source }) => outdated.has(source))
    if (CHANGED.has(reason) || isDownstream) outdated.add(node)
  }
  return outdated
}
