import {
  type Catalog,
  COMPOSITES,
  check,
  findInput,
  type IssueCode,
  type NodeDefinition,
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
        issue(node, 'DUPLICATE_ID', `several nodes have the id "${node.id}"`, 'Give each node a unique id.'),
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
        `input ${port.name} (${port.kind ?? port.type}) has no connection`,
        `Connect an output of type ${port.type in COMPOSITES ? 'dataset' : port.type}${port.kind ? ` (${port.kind})` : ''}.`,
      ),
      path: `nodes.${node.id}.inputs.${port.name}`,
      port: port.name,
    }))
}

function unknownType(node: WorkflowNode, catalog: Catalog): WorkflowIssue {
  const otherwise = 'The node is kept as a placeholder. A newer version of Medloom may define the type.'
  return {
    ...issue(node, 'UNKNOWN_NODE_TYPE', `unknown node type "${node.type.slice(0, 80)}"`),
    ...suggest(node.type, Object.keys(catalog), otherwise),
  }
}

function issue(node: WorkflowNode, code: IssueCode, message: string, hint?: string): WorkflowIssue {
  return {
    severity: 'error',
    path: `nodes.${node.id}`,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    node: node.id,
  }
}
