import type { PlanReason, PlanStep } from '@medloom/contracts'
import { arriving, type Document } from './document'

type Step = Pick<PlanStep, 'node' | 'action' | 'reason'>

/** Reasons to run because the result would be another one; others only say that it is not cached or not known. */
const CHANGED: ReadonlySet<PlanReason> = new Set([
  'config_changed',
  'implementation_changed',
  'software_changed',
  'input_changed',
  'source_changed',
  'implicit_input_changed',
])

/** Nodes whose latest results no longer belong to the document: something that they are made from changed, or a node before them is outdated. */
export function outdatedNodes(document: Document, steps: readonly Step[]): ReadonlySet<string> {
  const known = new Map(steps.map((step) => [step.node, step]))
  const outdated = new Set<string>()
  // Nodes before those that follow them, as the plan lists them.
  for (const { node, action, reason } of known.values()) {
    const follows = action !== 'reuse' && arriving(document, node).some(({ source }) => outdated.has(source))
    if (CHANGED.has(reason) || follows) outdated.add(node)
  }
  return outdated
}
