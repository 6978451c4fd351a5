import { type Document, incoming, type Node, nodeOf, outgoing } from '../core/document'
import { type Catalog, type PortView, portsOf } from '../core/ports'

export type Side = 'input' | 'output'

/** A row of the outline: a node, or a port of an expanded node. */
export interface Row {
  readonly key: string
  readonly node: Node
  readonly port: { readonly side: Side; readonly view: PortView } | null
  /** Position among its siblings, from 1, and their number. */
  readonly position: number
  readonly setSize: number
}

export const keyOf = (node: string): string => JSON.stringify([node])

/** The nodes in order, each expanded one followed by its ports; rows for the ports of collapsed nodes are not created. */
export function rowsOf(
  document: Document,
  order: readonly string[],
  open: ReadonlySet<string>,
  catalog: Catalog,
): readonly Row[] {
  const nodes = order.flatMap((id) => nodeOf(document, id) ?? [])
  return nodes.flatMap((node, index): Row[] => {
    const row: Row = { key: keyOf(node.id), node, port: null, position: index + 1, setSize: nodes.length }
    return open.has(node.id) ? [row, ...portRows(document, node, catalog)] : [row]
  })
}

function portRows(document: Document, node: Node, catalog: Catalog): Row[] {
  const { inputs, outputs } = portsOf(document, node, catalog)
  const ports = [
    ...inputs.map((view) => ({ side: 'input', view }) as const),
    ...outputs.map((view) => ({ side: 'output', view }) as const),
  ]
  return ports.map((port, index) => ({
    key: JSON.stringify([node.id, port.side, port.view.name]),
    ...{ node, port, position: index + 1, setSize: ports.length },
  }))
}

/** Ports connected to a port, as "node.port". */
export function connectedPorts(document: Document, node: string, side: Side, port: string): string[] {
  return side === 'input'
    ? incoming(document, node, port).map((wire) => `${wire.source}.${wire.source_port}`)
    : outgoing(document, node, port).map((wire) => `${wire.target}.${wire.target_port}`)
}
