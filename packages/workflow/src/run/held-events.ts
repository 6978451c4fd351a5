import type { Graph } from '../graph/graph.js'

interface Held {
  /** Feeding nodes that have not ended. */
  readonly feeders: Set<number>
  readonly events: (() => void)[]
}

/**
 * Events of nodes that run before the nodes that feed them have ended, because the results of those are still being stored. They are held
 * until then, so that a run is reported in the order of the graph: no node runs, fails or ends before everything that feeds it is done.
 */
export class HeldEvents {
  private readonly held = new Map<number, Held>()
  /** Nodes whose feeders have all ended. */
  private readonly due: number[] = []
  private isReleasing = false

  constructor(private readonly graph: Graph) {}

  /** `unended`: nodes that have not ended, although others use their outputs. */
  begin(node: number, unended: ReadonlySet<number>): void {
    const sources = (this.graph.incoming[node] ?? []).map(({ source }) => source)
    const feeders = new Set(sources.filter((source) => unended.has(source)))
    if (feeders.size > 0) this.held.set(node, { feeders, events: [] })
  }

  /** Applies an event of a node after everything that feeds it, and after its earlier events. */
  after(node: number, apply: () => void): void {
    const held = this.held.get(node)
    if (held) held.events.push(apply)
    else apply()
  }

  /** The node has ended: its held events no longer count. */
  drop(node: number): void {
    this.held.delete(node)
  }

  /** The node has ended, and the nodes that it feeds continue. Without recursion, since a chain may have thousands of nodes. */
  release(node: number): void {
    for (const target of new Set(this.graph.outgoing[node] ?? [])) this.releaseOne(target, node)
    if (this.isReleasing) return
    this.isReleasing = true
    for (let next = this.due.shift(); next !== undefined; next = this.due.shift()) this.apply(next)
    this.isReleasing = false
  }

  private releaseOne(target: number, feeder: number): void {
    const held = this.held.get(target)
    if (held?.feeders.delete(feeder) && held.feeders.size === 0) this.due.push(target)
  }

  /** An event may end the node, or cause further events. */
  private apply(node: number): void {
    const held = this.held.get(node)
    while (held && this.held.get(node) === held) {
      const event = held.events.shift()
      if (event) event()
      else this.held.delete(node)
    }
  }
}
