import { type Document, downstream, upstream } from './document'
import type { Ends } from './edits'
import { type Catalog, type Fit, fit, type PortView, portsOf } from './ports'

/** A port of a node as the end of a new wire. */
export interface PortPlace {
  readonly node: string
  readonly port: string
  readonly side: 'input' | 'output'
}

/** A possible port for a wire, and whether it is compatible. */
export interface Candidate {
  readonly place: PortPlace
  readonly view: PortView
  readonly ends: Ends
  readonly fit: Fit
}

export function endsOf(from: PortPlace, to: PortPlace): Ends {
  const [output, input] = from.side === 'output' ? [from, to] : [to, from]
  return { source: output.node, source_port: output.port, target: input.node, target_port: input.port }
}

/** Returns a function that checks whether a wire may connect this port with another; called for every port while a wire is dragged. */
export function judge(document: Document, catalog: Catalog, from: PortPlace): (to: PortPlace) => Fit {
  const around = from.side === 'output' ? upstream(document, from.node) : downstream(document, from.node)
  return (to) => fit(document, catalog, endsOf(from, to), around.has(to.node))
}

/** All ports of the opposite side, compatible ones first. */
export function candidates(document: Document, catalog: Catalog, from: PortPlace): readonly Candidate[] {
  const judged = judge(document, catalog, from)
  const side = from.side === 'output' ? 'input' : 'output'
  const all = document.nodes.flatMap((node) => {
    if (node.id === from.node) return []
    const ports = portsOf(document, node, catalog)
    return (side === 'input' ? ports.inputs : ports.outputs).map((view): Candidate => {
      const place: PortPlace = { node: node.id, port: view.name, side }
      return { place, view, ends: endsOf(from, place), fit: judged(place) }
    })
  })
  return [...all.filter((one) => one.fit.fits), ...all.filter((one) => !one.fit.fits)]
}

/** Node types that a new node could have to be connected here, each with its compatible port. */
export function fittingTypes(
  document: Document,
  catalog: Catalog,
  from: PortPlace,
): readonly { readonly type: string; readonly port: string }[] {
  const id = '\u0000new'
  return [...catalog.values()].flatMap(({ type, inputs, outputs }) => {
    const node = { id, type, position: { x: 0, y: 0 }, config: {} }
    const judged = judge({ ...document, nodes: [...document.nodes, node] }, catalog, from)
    const side = from.side === 'output' ? 'input' : 'output'
    const port = (side === 'input' ? inputs : outputs).find(
      ({ name, type: carried }) => carried !== 'any' && judged({ node: id, port: name, side }).fits,
    )
    return port ? [{ type, port: port.name }] : []
  })
}
