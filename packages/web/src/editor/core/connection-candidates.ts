import { type Document, downstream, upstream } from './document'
import type { WireEnds } from './edits'
import { type Catalog, type Compatibility, checkCompatibility, type PortView, portsOf } from './ports'

/** A port of a node as the end of a new wire. */
export interface PortRef {
  readonly node: string
  readonly port: string
  readonly side: 'input' | 'output'
}

/** A possible port for a wire, and whether it is compatible. */
export interface Candidate {
  readonly end: PortRef
  readonly view: PortView
  readonly ends: WireEnds
  readonly fit: Compatibility
}

export function endsOf(from: PortRef, to: PortRef): WireEnds {
  const [output, input] = from.side === 'output' ? [from, to] : [to, from]
  return { source: output.node, source_port: output.port, target: input.node, target_port: input.port }
}

/** Returns a function that checks whether a wire may connect this port with another; called for every port while a wire is dragged. */
export function compatibilityWith(
  document: Document,
  catalog: Catalog,
  from: PortRef,
): (to: PortRef) => Compatibility {
  const reachable = from.side === 'output' ? upstream(document, from.node) : downstream(document, from.node)
  return (to) => checkCompatibility(document, catalog, endsOf(from, to), reachable.has(to.node))
}

/** All ports of the opposite side, compatible ones first. */
export function candidates(document: Document, catalog: Catalog, from: PortRef): readonly Candidate[] {
  const compatibility = compatibilityWith(document, catalog, from)
  const side = from.side === 'output' ? 'input' : 'output'
  const all = document.nodes.flatMap((node) => {
    if (node.id === from.node) return []
    const ports = portsOf(document, node, catalog)
    return (side === 'input' ? ports.inputs : ports.outputs).map((view): Candidate => {
      const end: PortRef = { node: node.id, port: view.name, side }
      return { end, view, ends: endsOf(from, end), fit: compatibility(end) }
    })
  })
  return [...all.filter((one) => one.fit.fits), ...all.filter((one) => !one.fit.fits)]
}

/** Node types that a new node could have to be connected here, each with its compatible port. */
export function fittingTypes(
  document: Document,
  catalog: Catalog,
  from: PortRef,
): readonly { readonly type: string; readonly port: string }[] {
  const id = '\u0000new'
  return [...catalog.values()].flatMap(({ type, inputs, outputs }) => {
    const node = { id, type, position: { x: 0, y: 0 }, config: {} }
    const compatibility = compatibilityWith({ ...document, nodes: [...document.nodes, node] }, catalog, from)
    const side = from.side === 'output' ? 'input' : 'output'
    const port = (side === 'input' ? inputs : outputs).find(
      ({ name, type: carried }) => carried !== 'any' && compatibility({ node: id, port: name, side }).fits,
    )
    return port ? [{ type, port: port.name }] : []
  })
}
