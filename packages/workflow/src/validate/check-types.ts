import {
  after,
  type Catalog,
  COMPOSITES,
  conversion,
  type InputPort,
  listed,
  type NodeDefinition,
  type OutputPort,
  type Phrase,
  phrase,
  takesKind,
  type WorkflowConnection,
  type WorkflowIssue,
} from '@medloom/contracts'
import { connectionIssue } from './connection-issue.js'

/** Checks whether outputs may be connected to inputs, with suggestions for incompatible ones. */
export class TypeCheck {
  /** By pair of ports: the nodes that convert between them, cached because many connections need the same. */
  private readonly converters = new Map<string, readonly string[]>()

  constructor(private readonly catalog: Catalog) {}

  /** `output` has its kind in this workflow, if known. `others`: all outputs of its node. */
  check(
    connection: WorkflowConnection,
    output: OutputPort,
    input: InputPort,
    others: readonly OutputPort[],
    kindIsKnown: boolean,
  ): WorkflowIssue[] {
    const target = { node: connection.target, port: connection.target_port }
    const found = conversion(output.type, input.type)
    if (!found || (kindIsKnown && !takesKind(input, output.kind))) {
      const message = phrase('types_differ', {
        output: connection.source_port,
        type: typeName(output),
        input: connection.target_port,
        accepted: typeName(input),
      })
      const hint = [this.hint(output, input, others)]
      if (output.type === input.type && input.advice) hint.push(after('space', phrase(input.advice)))
      return [{ ...connectionIssue(connection, 'TYPE_MISMATCH', message, ...hint), ...target }]
    }
    return []
  }

  private hint(output: OutputPort, input: InputPort, others: readonly OutputPort[]): Phrase {
    const fitting = others.find((port) => port.name !== output.name && fits(port, input))
    if (fitting) return phrase('connect_other_output', { port: fitting.name })
    const through = this.convertersBetween(output, input)
    if (through.length > 0) return phrase('insert_converter', { nodes: listed(through) })
    const sources = this.sourcesOf(input)
    return sources.length > 0
      ? phrase('accepts_outputs', { outputs: listed(sources) })
      : phrase('accepts_no_output')
  }

  /** Nodes that accept the first type and return the second. */
  private convertersBetween(from: OutputPort, to: InputPort): readonly string[] {
    const pair = JSON.stringify([from.type, from.kind, to.type, to.kind])
    const found =
      this.converters.get(pair) ??
      Object.entries(this.catalog)
        .filter(
          ([, definition]) =>
            definition.inputs.some((port) => port.type !== 'any' && fits(from, port)) &&
            definition.outputs.some((port) => fits(withKindOf(port, definition, from), to)),
        )
        .map(([type]) => type)
    this.converters.set(pair, found)
    return found
  }

  private sourcesOf(input: InputPort): string[] {
    return Object.entries(this.catalog).flatMap(([type, { outputs }]) =>
      outputs
        .filter((port) => (port.type === input.type || input.type in COMPOSITES) && fits(port, input))
        .map((port) => `${type}.${port.name}`),
    )
  }
}

function fits(output: OutputPort, input: InputPort): boolean {
  return takesKind(input, output.kind) && conversion(output.type, input.type) !== undefined
}

/** The output with the kind that results if `arriving` is the node's input. */
function withKindOf(output: OutputPort, { inputs }: NodeDefinition, { kind }: OutputPort): OutputPort {
  const carried = inputs.find(({ name }) => name === output.carries)
  return kind !== undefined && carried?.passes_kinds?.includes(kind) ? { ...output, kind } : output
}

function typeName(port: OutputPort | InputPort): string {
  return port.kind ? `${port.type} (${port.kind})` : port.type
}
