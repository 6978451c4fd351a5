import type { WorkflowIssue } from '@medloom/contracts'
import { nodeSize } from '@medloom/contracts/plain'
import type { Edge, Node as FlowNodeOf } from '@xyflow/react'
import type { Document, Node } from '../core/document'
import { type Catalog, converterOf, type Ports, portsOf } from '../core/ports'
import { handlesOf } from './node-geometry'
import { letterOf } from './port-icon'

export interface CardData extends Record<string, unknown> {
  readonly node: Node
  readonly ports: Ports
  /** null: the catalog does not contain the type. */
  readonly title: string | null
  readonly errors: number
  readonly warnings: number
}
export type FlowNode = FlowNodeOf<CardData, 'card'>

/** Nodes for React Flow. An unchanged node stays the same object, so that only changed nodes are rendered. */
export function flowNodes(
  document: Document,
  catalog: Catalog,
  issues: readonly WorkflowIssue[],
  selected: ReadonlySet<string>,
  before: ReadonlyMap<string, FlowNode>,
): FlowNode[] {
  const counts = issueCounts(issues)
  return document.nodes.map((node) => {
    const ports = portsOf(document, node, catalog)
    const { errors = 0, warnings = 0 } = counts.get(node.id) ?? {}
    const last = before.get(node.id)
    const isSelected = selected.has(node.id)
    const same =
      last &&
      last.data.node === node &&
      last.selected === isSelected &&
      last.data.errors === errors &&
      last.data.warnings === warnings &&
      last.data.ports.inputs.length === ports.inputs.length &&
      last.data.ports.outputs.length === ports.outputs.length &&
      last.position.x === node.position.x &&
      last.position.y === node.position.y
    if (same) return last
    const title = catalog.get(node.type)?.title ?? null
    const size = nodeSize(ports)
    return {
      id: node.id,
      type: 'card',
      position: { x: node.position.x, y: node.position.y },
      selected: isSelected,
      ariaLabel: `${title ?? node.type}, ${node.id}`,
      data: { node, ports, title, errors, warnings },
      handles: handlesOf(ports),
      // The size is known before a node is rendered, so that nodes out of view count when all are fitted into the view.
      measured: size,
      ...size,
    }
  })
}

/** `nodes`: nodes whose wires show the transferred values. */
export function flowEdges(
  document: Document,
  catalog: Catalog,
  selected: ReadonlySet<string>,
  nodes: ReadonlySet<string>,
): Edge[] {
  return document.connections.map((connection) => {
    const { id, source, source_port, target, target_port } = connection
    const converted = converterOf(document, catalog, connection)
    const converter = converted && `${letterOf(converted.from)} → ${letterOf(converted.to)}`
    const near = selected.has(id) || nodes.has(source) || nodes.has(target)
    return {
      id,
      source,
      sourceHandle: source_port,
      target,
      targetHandle: target_port,
      selected: selected.has(id),
      focusable: false,
      ...(near ? { type: 'wire', data: { converter }, zIndex: 1 } : converter ? { label: converter } : {}),
    }
  })
}

export function issueCounts(issues: readonly WorkflowIssue[]) {
  const counts = new Map<string, { errors: number; warnings: number }>()
  for (const { node, severity } of issues) {
    if (node === undefined) continue
    const { errors, warnings } = counts.get(node) ?? { errors: 0, warnings: 0 }
    counts.set(
      node,
      severity === 'error' ? { errors: errors + 1, warnings } : { errors, warnings: warnings + 1 },
    )
  }
  return counts
}
