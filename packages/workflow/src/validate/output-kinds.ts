import { findInput, type NodeDefinition, type OutputPort, type WorkflowConnection } from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Graph } from '../graph/graph.js'

/** The kinds of outputs, where a node may hand on a value of the kind that it takes (a filter of predictions gives predictions). */
export class OutputKinds {
  /** By node and output: the port with its kind in this workflow. */
  private readonly carried = new Map<string, OutputPort>()

  static *of(
    { nodes, incoming }: Graph,
    order: readonly number[],
    definitions: readonly (NodeDefinition | undefined)[],
  ): CooperativeSteps<OutputKinds> {
    const kinds = new OutputKinds()
    for (const number of order) {
      yield
      const node = nodes[number]
      const definition = definitions[number]
      if (!node || !definition) continue
      for (const output of definition.outputs) {
        if (!handsOnKind(output, definition)) continue
        const links = (incoming[number] ?? []).filter(
          ({ connection }) => findInput(definition.inputs, connection.target_port)?.name === output.carries,
        )
        const [first] = links
        const arriving = first && kinds.outputAt(first.connection, definitions[first.source])
        if (!arriving) continue
        // What several values are joined to is of no kind.
        const { kind } = links.length > 1 ? output : arriving
        kinds.carried.set(place(node.id, output.name), kind === undefined ? output : { ...output, kind })
      }
    }
    return kinds
  }

  /**
   * The output that a connection comes from, of the kind that it has in this workflow; null where that is not known, because something
   * above is missing or runs in a cycle. `definition`: of the node that the connection comes from.
   */
  outputAt(
    { source, source_port }: WorkflowConnection,
    definition: NodeDefinition | undefined,
  ): OutputPort | null {
    const output = definition?.outputs.find(({ name }) => name === source_port)
    if (!definition || !output) return null
    return handsOnKind(output, definition) ? (this.carried.get(place(source, source_port)) ?? null) : output
  }
}

function handsOnKind({ kind, carries }: OutputPort, { inputs }: NodeDefinition): boolean {
  return kind === undefined && inputs.some((port) => port.name === carries && port.passes_kinds)
}

function place(node: string, port: string): string {
  return JSON.stringify([node, port])
}
