import {
  type Catalog,
  COMPOSITES,
  check,
  findInput,
  hintOf,
  type IssueCode,
  messageOf,
  type NodeDefinition,
  type Phrase,
  phrase,
  suggest,
  type Workflow,
  type WorkflowIssue,
  type WorkflowNode,
} from '@medloom/contracts'
import type { CooperativeSteps } from '../cooperative-steps.js'
import type { Disabled } from '../graph/disabled.js'
import type { Graph } from '../graph/graph.js'

type Config = Readonly<Record<string, unknown>>

interface NodesOfGraph {
  readonly graph: Graph
  readonly definitions: readonly (NodeDefinition | undefined)[]
  readonly disabled: readonly (Disabled | undefined)[]
}

/** Problems of the nodes themselves, except disabled ones: ids, types, configs, unconnected required inputs. */
export function* checkNodes(
  workflow: Workflow,
  catalog: Catalog,
  { graph, definitions, disabled }: NodesOfGraph,
): CooperativeSteps<{ configs: (Config | undefined)[]; issues: WorkflowIssue[] }> {
  const configs: (Config | undefined)[] = graph.nodes.map(() => undefined)
  const issues: WorkflowIssue[] = []
  for (const node of workflow.nodes) {
    yield
    const number = graph.numberOf.get(node.id)
    if (number === undefined) continue
    if (graph.nodes[number] !== node) {
      issues.push(
        issue(node, 'DUPLICATE_ID', phrase('node_id_taken', { id: node.id }), phrase('unique_node_id')),
      )
      continue
    }
    if (disabled[number]) continue
    const definition = definitions[number]
    if (!definition) {
      issues.push(unknownType(node, catalog))
      continue
    }
    const config = check(definition.config, node.config, `nodes.${node.id}.config`)
    if (config.ok) configs[number] = config.value
    else
      for (const { path, ...rest } of config.issues) {
        const field = path.slice(`nodes.${node.id}.config.`.length).split('.')[0]
        issues.push({ path, ...rest, severity: 'error', node: node.id, ...(field ? { field } : {}) })
      }
    issues.push(...missingInputs(node, definition, graph, number))
  }
  return { configs, issues }
}

function missingInputs(
  node: WorkflowNode,
  definition: NodeDefinition,
  graph: Graph,
  number: number,
): WorkflowIssue[] {
  const connected = new Set(
    graph.incoming[number]?.map(
      ({ connection }) => findInput(definition.inputs, connection.target_port)?.name,
    ),
  )
  return definition.inputs
    .filter((port) => !port.optional && !port.implicit && !connected.has(port.name))
    .map((port) => ({
      ...issue(
        node,
        'MISSING_INPUT',
        phrase('input_unconnected', { port: port.name, type: port.kind ?? port.type }),
        phrase('connect_output', {
          type: `${port.type in COMPOSITES ? 'dataset' : port.type}${port.kind ? ` (${port.kind})` : ''}`,
        }),
      ),
      path: `nodes.${node.id}.inputs.${port.name}`,
      port: port.name,
    }))
}

function unknownType(node: WorkflowNode, catalog: Catalog): WorkflowIssue {
  return {
    ...issue(node, 'UNKNOWN_NODE_TYPE', phrase('unknown_node_type', { type: node.type.slice(0, 80) })),
    ...suggest(node.type, Object.keys(catalog), phrase('kept_as_placeholder')),
  }
}

function issue(node: WorkflowNode, code: IssueCode, message: Phrase, hint?: Phrase): WorkflowIssue {
  return {
    severity: 'error',
    path: `nodes.${node.id}`,
    code,
    ...messageOf(message),
    ...(hint ? hintOf(hint) : {}),
    node: node.id,
  }
}
