import type { Workflow, WorkflowConnection, WorkflowNode } from '@medloom/contracts'

/**
 * The graph of a workflow. Nodes are numbered by their ids in code-unit order, so all results computed from the numbers are independent of the
 * order in the file. No function recurses: a chain may be as long as memory allows.
 */
export interface Graph {
  /** Nodes by number. If several nodes share an id, the first one in the file counts. */
  readonly nodes: readonly WorkflowNode[]
  readonly numberOf: ReadonlyMap<string, number>
  /** Links into a node, in the order of the file. */
  readonly incoming: readonly (readonly Link[])[]
  /** Downstream nodes of a node, in ascending order; one entry per link. */
  readonly outgoing: readonly (readonly number[])[]
}

/** A connection between two different existing nodes. */
export interface Link {
  readonly connection: WorkflowConnection
  readonly source: number
  readonly target: number
}

export function buildGraph(
  workflow: Pick<Workflow, 'nodes'> & { readonly connections: readonly WorkflowConnection[] },
): Graph {
  const first = new Map<string, WorkflowNode>()
  for (const node of workflow.nodes) if (!first.has(node.id)) first.set(node.id, node)
  const nodes = [...first.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const numberOf = new Map(nodes.map((node, number) => [node.id, number]))

  const incoming: Link[][] = nodes.map(() => [])
  for (const connection of workflow.connections) {
    const source = numberOf.get(connection.source)
    const target = numberOf.get(connection.target)
    if (source === undefined || target === undefined || source === target) continue
    incoming[target]?.push({ connection, source, target })
  }
  const outgoing: number[][] = nodes.map(() => [])
  for (const links of incoming) for (const { source, target } of links) outgoing[source]?.push(target)
  return { nodes, numberOf, incoming, outgoing }
}

/** Topological order (Kahn); nodes on a cycle or downstream of one are omitted. */
export function topologicalOrder({ nodes, incoming, outgoing }: Graph): number[] {
  const waiting = incoming.map((links) => links.length)
  const order = [...nodes.keys()].filter((number) => waiting[number] === 0)
  for (let next = 0; next < order.length; next++) {
    for (const target of outgoing[order[next] ?? -1] ?? []) {
      const remaining = (waiting[target] ?? 0) - 1
      waiting[target] = remaining
      if (remaining === 0) order.push(target)
    }
  }
  return order
}

/**
 * The nodes of `order` (flagged in `member`, with all their upstream nodes) in groups that depend only on earlier groups: first the nodes
 * without inputs, then those whose upstream nodes have all been returned, and so on.
 */
export function* waves(
  { incoming, outgoing }: Graph,
  order: readonly number[],
  member: Uint8Array,
): Generator<readonly number[], void, void> {
  const waiting = incoming.map((links) => links.length)
  let wave = order.filter((number) => waiting[number] === 0)
  while (wave.length > 0) {
    yield wave
    const next: number[] = []
    for (const number of wave)
      for (const target of outgoing[number] ?? []) {
        const remaining = (waiting[target] ?? 0) - 1
        waiting[target] = remaining
        if (remaining === 0 && member[target]) next.push(target)
      }
    wave = next
  }
}

/** Nodes on which `starts` depend, including themselves, as flags by number. */
export function withAncestors({ nodes, incoming }: Graph, starts: Iterable<number>): Uint8Array {
  const reached = new Uint8Array(nodes.length)
  const open: number[] = []
  const reach = (number: number) => {
    if (reached[number]) return
    reached[number] = 1
    open.push(number)
  }
  for (const start of starts) reach(start)
  for (let number = open.pop(); number !== undefined; number = open.pop())
    for (const { source } of incoming[number] ?? []) reach(source)
  return reached
}
