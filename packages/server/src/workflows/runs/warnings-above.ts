import type { NodeState, Workflow } from '@medloom/contracts'
import type { NodeWarning } from '../executors/executor.js'

/** What the nodes above `node` warned of, in the order of the file. */
export function warningsAbove(
  { nodes, connections }: Workflow,
  states: ReadonlyMap<string, NodeState>,
  node: string,
): NodeWarning[] {
  const sources = new Map<string, string[]>()
  for (const { source, target } of connections) sources.set(target, [...(sources.get(target) ?? []), source])
  const above = new Set<string>()
  const found = [node]
  for (let id = found.pop(); id !== undefined; id = found.pop())
    for (const source of sources.get(id) ?? [])
      if (!above.has(source)) {
        above.add(source)
        found.push(source)
      }
  return nodes
    .filter(({ id }) => above.has(id))
    .flatMap(({ id }) => (states.get(id)?.warnings ?? []).map((warning) => ({ node: id, ...warning })))
}
