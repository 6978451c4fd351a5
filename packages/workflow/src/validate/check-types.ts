import {
  type Catalog,
  conversion,
  type InputPort,
  type OutputPort,
  type WorkflowConnection,
  type WorkflowIssue,
} from '@medloom/contracts'
import { connectionIssue } from './connection-issue.js'

/** Whether outputs may be connected to inputs, with what would make them fit. */
export class TypeCheck {
  /** By pair of ports: the nodes that convert one to the other, since many connections ask for the same. */
  private readonly converters = new Map<string, readonly string[]>()

  constructor(private readonly catalog: Catalog) {}

  /** `others`: all outputs of the node that the connection comes from. */
  check(
    connection: WorkflowConnection,
    output: OutputPort,
    input: InputPort,
    others: readonly OutputPort[],
  ): WorkflowIssue[] {
    const at = { node: connection.target, port: connection.target_port }
    const found = conversion(output.type, input.type)
    if (!found || !sameKind(output, input)) {
      const message = `output ${connection.source_port} is ${typeName(output)}, but input ${connection.target_port} takes ${typeName(input)}`
      const hint = this.hint(output, input, others, found !== undefined)
      return [{ ...connectionIssue(connection, 'TYPE_MISMATCH', message, hint), ...at }]
    }
    if (found.lossless || output.type === 'any') return []
    const lossy = connectionIssue(
      connection,
      'LOSSY_CONVERSION',
      `${output.type} is converted to ${input.type}: ${found.how}`,
      'Connect an output of the same type to keep everything.',
    )
    return [{ ...lossy, ...at, severity: 'warning' }]
  }

  private hint(
    output: OutputPort,
    input: InputPort,
    others: readonly OutputPort[],
    sameType: boolean,
  ): string {
    const fitting = others.find((port) => fits(port, input))
    if (fitting) return `Connect "${fitting.name}" of the same node instead.`
    const through = sameType ? [] : this.convertersBetween(output, input)
    if (through.length > 0) return `Put a node between them that converts it: ${through.join(', ')}.`
    return `It accepts ${this.sourcesOf(input).join(', ') || 'the output of no known node'}.`
  }

  /** Nodes that take the one and give the other. */
  private convertersBetween(from: OutputPort, to: InputPort): readonly string[] {
    const pair = JSON.stringify([from.type, from.kind, to.type, to.kind])
    const found =
      this.converters.get(pair) ??
      Object.entries(this.catalog)
        .filter(
          ([, { inputs, outputs }]) =>
            inputs.some((port) => port.type !== 'any' && fits(from, port)) &&
            outputs.some((port) => fits(port, to)),
        )
        .map(([type]) => type)
    this.converters.set(pair, found)
    return found
  }

  private sourcesOf(input: InputPort): string[] {
    return Object.entries(this.catalog).flatMap(([type, { outputs }]) =>
      outputs
        .filter((port) => port.type === input.type && fits(port, input))
        .map((port) => `${type}.${port.name}`),
    )
  }
}

function fits(output: OutputPort, input: InputPort): boolean {
  return sameKind(output, input) && conversion(output.type, input.type) !== undefined
}

function sameKind(output: OutputPort, input: InputPort): boolean {
  return !output.kind || !input.kind || output.kind === input.kind
}

function typeName(port: OutputPort | InputPort): string {
  return port.kind ? `${port.type} (${port.kind})` : port.type
}
