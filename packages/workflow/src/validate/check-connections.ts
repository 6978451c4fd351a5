import {
  type Catalog,
  conversion,
  findInput,
  type InputPort,
  type IssueCode,
  joinedParts,
  type NodeDefinition,
  nearest,
  type OutputPort,
  type Workflow,
  type WorkflowConnection,
  type WorkflowIssue,
} from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Graph } from '../graph/graph.js'

/** What is wrong with the connections: ids, ends, ports, types, and ports that are taken already. */
export function* checkConnections(
  workflow: Workflow,
  catalog: Catalog,
  graph: Graph,
  definitions: readonly (NodeDefinition | undefined)[],
): CooperativeSteps<WorkflowIssue[]> {
  const issues: WorkflowIssue[] = []
  const ids = new Set<string>()
  const taken = new Map<string, Arrival[]>()
  const converters = new Map<string, readonly string[]>()
  const definitionOf = (id: string) => definitions[graph.numberOf.get(id) ?? -1]

  for (const connection of workflow.connections) {
    yield
    if (ids.has(connection.id))
      issues.push(issue(connection, 'DUPLICATE_ID', `several connections have the id "${connection.id}"`))
    ids.add(connection.id)

    const lost = missingEnds(connection, graph)
    issues.push(...lost)
    if (lost.length > 0) continue
    if (connection.source === connection.target) {
      issues.push({
        ...issue(connection, 'SELF_LOOP', 'a node cannot feed itself', 'Remove this connection.'),
        node: connection.source,
      })
      continue
    }
    const source = definitionOf(connection.source)
    const target = definitionOf(connection.target)
    const output = source?.outputs.find((port) => port.name === connection.source_port)
    const input = target && findInput(target.inputs, connection.target_port)
    if (source && !output) issues.push(unknownPort(connection, 'source', source))
    if (target && !input) issues.push(unknownPort(connection, 'target', target))
    if (!input) continue
    if (output)
      issues.push(...mismatch(connection, output, input, source?.outputs ?? [], catalog, converters))

    const place = JSON.stringify([connection.target, connection.target_port])
    const arrivals = taken.get(place) ?? []
    const refused = occupied(connection, input, output, arrivals)
    if (refused) issues.push(refused)
    arrivals.push({ connection, output })
    taken.set(place, arrivals)
  }
  return issues
}

interface Arrival {
  readonly connection: WorkflowConnection
  readonly output: OutputPort | undefined
}

function missingEnds(connection: WorkflowConnection, graph: Graph): WorkflowIssue[] {
  return (['source', 'target'] as const).flatMap((end) => {
    if (graph.numberOf.has(connection[end])) return []
    const guess = nearest(connection[end], graph.numberOf.size <= 1000 ? graph.numberOf.keys() : [])
    return [
      {
        ...issue(
          connection,
          'UNKNOWN_NODE',
          `its ${end} "${connection[end]}" is no node of this workflow`,
          guess ? `Did you mean "${guess}"?` : 'Remove the connection, or add the node.',
        ),
        ...(end === 'source' && graph.numberOf.has(connection.target) ? { node: connection.target } : {}),
      },
    ]
  })
}

function unknownPort(
  connection: WorkflowConnection,
  end: 'source' | 'target',
  definition: NodeDefinition,
): WorkflowIssue {
  const name = connection[`${end}_port`]
  const [side, known] =
    end === 'source' ? (['output', definition.outputs] as const) : (['input', definition.inputs] as const)
  const names = known.map((port) => port.name)
  const guess = nearest(name, names)
  return {
    ...issue(
      connection,
      'UNKNOWN_PORT',
      `"${connection[end]}" has no ${side} "${name.slice(0, 80)}"`,
      guess
        ? `Did you mean "${guess}"?`
        : names.length > 0
          ? `It has ${names.join(', ')}.`
          : `It has no ${side}s.`,
    ),
    node: connection[end],
    port: name,
  }
}

/** The types that do not fit, named, with what would make them fit. */
function mismatch(
  connection: WorkflowConnection,
  output: OutputPort,
  input: InputPort,
  others: readonly OutputPort[],
  catalog: Catalog,
  converters: Map<string, readonly string[]>,
): WorkflowIssue[] {
  const found = conversion(output.type, input.type)
  const sameKind = !output.kind || !input.kind || output.kind === input.kind
  const at = { node: connection.target, port: connection.target_port }
  if (found && sameKind)
    return found.lossless || output.type === 'any'
      ? []
      : [
          {
            ...issue(
              connection,
              'LOSSY_CONVERSION',
              `${output.type} becomes ${input.type}: ${found.how}`,
              'Connect an output of the same type to keep everything.',
            ),
            ...at,
            severity: 'warning',
          },
        ]
  const fitting = others.find((port) => fits(port, input))
  const through = found ? [] : convertersBetween(output, input, catalog, converters)
  const hint = fitting
    ? `Connect "${fitting.name}" of the same node instead.`
    : through.length > 0
      ? `Put a node between them that makes the one from the other: ${through.join(', ')}.`
      : `It takes what these give: ${givers(input, catalog).join(', ') || 'none of the known nodes'}.`
  return [
    {
      ...issue(
        connection,
        'TYPE_MISMATCH',
        `"${connection.source_port}" gives ${typeName(output)}, "${connection.target_port}" takes ${typeName(input)}`,
        hint,
      ),
      ...at,
    },
  ]
}

/** A port takes one connection, or one for each part that it joins. */
function occupied(
  connection: WorkflowConnection,
  input: InputPort,
  output: OutputPort | undefined,
  arrivals: readonly Arrival[],
): WorkflowIssue | undefined {
  if (arrivals.length === 0 || !output) return undefined
  const parts = joinedParts(input.type)
  const types = [...arrivals.map((arrival) => arrival.output?.type), output.type]
  const joins = parts !== null && types.every((type) => parts.some((part) => part === type))
  if (joins && new Set(types).size === types.length) return undefined
  return {
    ...issue(
      connection,
      'PORT_OCCUPIED',
      `the input "${connection.target_port}" has a connection already (${arrivals.map(({ connection: { id } }) => id).join(', ')})`,
      parts
        ? `Only one ${parts.join(' and one ')} may meet here. Remove one connection.`
        : 'Remove one of them.',
    ),
    node: connection.target,
    port: connection.target_port,
  }
}

function fits(output: OutputPort, input: InputPort): boolean {
  const sameKind = !output.kind || !input.kind || output.kind === input.kind
  return sameKind && conversion(output.type, input.type) !== undefined
}

/** Nodes that take the one and give the other. */
function convertersBetween(
  from: OutputPort,
  to: InputPort,
  catalog: Catalog,
  known: Map<string, readonly string[]>,
): readonly string[] {
  const pair = JSON.stringify([from.type, from.kind, to.type, to.kind])
  const found =
    known.get(pair) ??
    Object.entries(catalog)
      .filter(
        ([, { inputs, outputs }]) =>
          inputs.some((port) => port.type !== 'any' && fits(from, port)) &&
          outputs.some((port) => fits(port, to)),
      )
      .map(([type]) => type)
  known.set(pair, found)
  return found
}

function givers(input: InputPort, catalog: Catalog): string[] {
  return Object.entries(catalog).flatMap(([type, { outputs }]) =>
    outputs
      .filter((port) => port.type === input.type && fits(port, input))
      .map((port) => `${type}.${port.name}`),
  )
}

function typeName(port: OutputPort | InputPort): string {
  return port.kind ? `${port.type} (${port.kind})` : port.type
}

function issue(
  connection: WorkflowConnection,
  code: IssueCode,
  message: string,
  hint?: string,
): WorkflowIssue {
  return {
    severity: 'error',
    path: `connections.${connection.id}`,
    code,
    message,
    ...(hint ? { hint } : {}),
    connection: connection.id,
  }
}
