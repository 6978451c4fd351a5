import {
  type Catalog,
  hintOf,
  messageOf,
  NODES,
  type NodeDefinition,
  phrase,
  type Workflow,
  type WorkflowIssue,
} from '@medloom/contracts'
import { type CooperativeSteps, runToCompletion } from '../cooperative-steps.js'
import { findCycles } from '../graph/cycles.js'
import { activePart, type Disabled } from '../graph/disabled.js'
import { buildGraph, type Graph, topologicalOrder } from '../graph/graph.js'
import { checkConnections } from './check-connections.js'
import { checkDefaults } from './check-defaults.js'
import { checkNodes } from './check-nodes.js'
import { OutputKinds } from './output-kinds.js'
import { routeParts } from './route-parts.js'

/** A validated workflow for the other steps: its graph, its order, its complete configs, and all its issues. */
export interface Validated {
  readonly workflow: Workflow
  readonly catalog: Catalog
  readonly graph: Graph
  /** Numbers of the nodes that can be ordered, in topological order. */
  readonly order: readonly number[]
  /** By node number: the reason why the node does not run; undefined: it can run. */
  readonly disabled: readonly (Disabled | undefined)[]
  /** By node number; undefined: a placeholder of an unknown type, or a disabled node. */
  readonly definitions: readonly (NodeDefinition | undefined)[]
  /** By node number: the config with defaults; undefined: invalid, or of an unknown type. */
  readonly configs: readonly (Readonly<Record<string, unknown>> | undefined)[]
  readonly issues: readonly WorkflowIssue[]
}

/** Finds all problems at once. A workflow without an issue of severity error can be planned and run. */
export function validate(workflow: Workflow, catalog: Catalog = NODES): Validated {
  return runToCompletion(validationSteps(workflow, catalog))
}

export function* validationSteps(workflow: Workflow, catalog: Catalog = NODES): CooperativeSteps<Validated> {
  yield
  const active = activePart(workflow, catalog)
  yield
  const connections = routeParts({ ...workflow, connections: active.connections }, catalog)
  const graph = buildGraph({ nodes: workflow.nodes, connections })
  const disabled = graph.nodes.map(({ id }) => active.disabled.get(id))
  const definitions = graph.nodes.map((node, number) =>
    !disabled[number] && Object.hasOwn(catalog, node.type) ? catalog[node.type] : undefined,
  )
  yield
  const order = topologicalOrder(graph)
  const kinds = yield* OutputKinds.infer(graph, order, definitions)
  const { configs, issues: nodeIssues } = yield* checkNodes(workflow, catalog, {
    graph,
    definitions,
    disabled,
  })
  const issues = [
    ...checkDefaults(workflow),
    ...nodeIssues,
    ...active.issues,
    ...(yield* checkConnections(connections, catalog, graph, definitions, kinds)),
    ...(order.length < graph.nodes.length ? findCycles(graph).map(cycleIssue) : []),
  ]
  return { workflow, catalog, graph, order, disabled, definitions, configs, issues }
}

export function hasErrors(issues: readonly WorkflowIssue[]): boolean {
  return issues.some((issue) => issue.severity === 'error')
}

const MAX_SHOWN = 20

function cycleIssue(cycle: string[]): WorkflowIssue {
  const [node = ''] = cycle
  const shown = cycle.length > MAX_SHOWN ? [...cycle.slice(0, MAX_SHOWN - 1), '…', cycle.at(-1) ?? ''] : cycle
  return {
    severity: 'error',
    path: `nodes.${node}`,
    code: 'CYCLE',
    ...messageOf(phrase('nodes_form_cycle', { nodes: shown.join(' → ') })),
    ...hintOf(phrase('remove_from_cycle')),
    node,
    cycle,
  }
}
