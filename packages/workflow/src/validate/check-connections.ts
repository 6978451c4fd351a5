import {
  after,
  type Catalog,
  findInput,
  type InputPort,
  joinedParts,
  listed,
  type NodeDefinition,
  type OutputPort,
  phrase,
  suggest,
  type WorkflowConnection,
  type WorkflowIssue,
} from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Graph } from '../graph/graph.js'
import { TypeCheck } from './check-types.js'
import { connectionIssue } from './connection-issue.js'
import type { OutputKinds } from './output-kinds.js'

/** Problems of the connections: ids, ends, ports, types, and occupied ports. */
export function* checkConnections(
  connections: readonly WorkflowConnection[],
  catalog: Catalog,
  graph: Graph,
  definitions: readonly (NodeDefinition | undefined)[],
  kinds: OutputKinds,
): CooperativeSteps<WorkflowIssue[]> {
  const issues: WorkflowIssue[] = []
  const ids = new Set<string>()
  const taken = new Map<string, Arrival[]>()
  const types = new TypeCheck(catalog)
  const definitionOf = (id: string) => definitions[graph.numberOf.get(id) ?? -1]

  for (const connection of connections) {
    yield
    if (ids.has(connection.id))
      issues.push(
        connectionIssue(connection, 'DUPLICATE_ID', phrase('connection_id_taken', { id: connection.id })),
      )
    ids.add(connection.id)

    const lost = missingEnds(connection, graph)
    issues.push(...lost)
    if (lost.length > 0) continue
    if (connection.source === connection.target) {
      issues.push({
        ...connectionIssue(
          connection,
          'SELF_LOOP',
          phrase('connected_to_itself'),
          phrase('remove_this_connection'),
        ),
        node: connection.source,
      })
      continue
    }
    const source = definitionOf(connection.source)
    const target = definitionOf(connection.target)
    const declared = source?.outputs.find((port) => port.name === connection.source_port)
    const known = kinds.outputAt(connection, source)
    const output = known ?? declared
    const input = target && findInput(target.inputs, connection.target_port)
    if (source && !output) issues.push(unknownPort(connection, 'source', source))
    if (target && !input) issues.push(unknownPort(connection, 'target', target))
    if (!input) continue
    if (output) issues.push(...types.check(connection, output, input, source?.outputs ?? [], known !== null))

    const place = JSON.stringify([connection.target, connection.target_port])
    const arrivals = taken.get(place) ?? []
    const refused = occupied({ connection, output }, input, arrivals)
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
    const known = graph.numberOf.size <= 1000 ? graph.numberOf.keys() : []
    return [
      {
        ...connectionIssue(
          connection,
          'UNKNOWN_NODE',
          phrase(end === 'source' ? 'source_not_a_node' : 'target_not_a_node', { node: connection[end] }),
        ),
        ...suggest(connection[end], known, phrase('remove_or_add_node')),
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
  const isSource = end === 'source'
  const names = (isSource ? definition.outputs : definition.inputs).map((port) => port.name)
  const none = phrase(isSource ? 'has_no_outputs' : 'has_no_inputs')
  return {
    ...connectionIssue(
      connection,
      'UNKNOWN_PORT',
      phrase(isSource ? 'output_unknown' : 'input_unknown', {
        node: connection[end],
        port: name.slice(0, 80),
      }),
    ),
    ...suggest(name, names, names.length > 0 ? phrase('has_names', { names: listed(names) }) : none),
    node: connection[end],
    port: name,
  }
}

/** A port accepts one connection, or one for each part that it joins; a value with a kind (predictions) cannot be joined. */
function occupied(
  arrival: Arrival,
  input: InputPort,
  arrivals: readonly Arrival[],
): WorkflowIssue | undefined {
  const { connection, output } = arrival
  if (arrivals.length === 0 || !output) return undefined
  const parts = joinedParts(input.type)
  const all = [...arrivals, arrival]
  const types = all.map(({ output }) => output?.type)
  const joins =
    parts !== null &&
    types.every((type) => parts.some((part) => part === type)) &&
    all.every(({ output }) => output?.kind === undefined)
  if (joins && new Set(types).size === types.length) return undefined
  return {
    ...connectionIssue(
      connection,
      'PORT_OCCUPIED',
      phrase('input_occupied', {
        port: connection.target_port,
        connections: listed(arrivals.map(({ connection: { id } }) => id)),
      }),
      ...(parts ? [phrase('accepts_one_each', { first: parts[0], second: parts[1] })] : []),
      after('space', phrase('remove_a_connection')),
    ),
    node: connection.target,
    port: connection.target_port,
  }
}
