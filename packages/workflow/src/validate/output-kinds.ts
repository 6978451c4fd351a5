import { findInput, type NodeDefinition, type OutputPort, type WorkflowConnection } from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Graph } from '../graph/graph.js'

/** Kinds of outputs of nodes that pass on a value of their input's kind (a filter of predictions returns predictions). */
export class OutputKinds {
  /** By node and output: the port with its kind in this workflow. */
  private readonly carried = new Map<string, OutputPort>()

  static *infer(
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
        // A join of several values has no kind.
        const { kind } = links.length > 1 ? output : arriving
        kinds.carried.set(place(node.id, output.name), kind === undefined ? output : { ...output, kind })
      }
    }
    return kinds
  }

  /**
   * The source output of a connection with its kind in this workflow; null if the kind is unknown, because an upstream node is missing or
   * part of a cycle. `definition`: definition of the source node.
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
