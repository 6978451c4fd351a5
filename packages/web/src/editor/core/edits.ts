import { type Connection, type Document, freeId, idsOf, incoming, kebab, type Node, nodeOf } from './document'
import type { Operation } from './operations'

/** A user action as operations on the document. An empty list: nothing changes. */
export type Edit = readonly Operation[]

export interface Point {
  readonly x: number
  readonly y: number
}
export interface WireEnds {
  readonly source: string
  readonly source_port: string
  readonly target: string
  readonly target_port: string
}

export function addNode(document: Document, type: string, position: Point): { edit: Edit; id: string } {
  const id = freeId(kebab(type), idsOf(document.nodes))
  return { id, edit: insert(document, [{ id, type, position: { ...rounded(position) }, config: {} }], []) }
}

/** Removes nodes with all their connections. */
export function removeNodes(document: Document, ids: ReadonlySet<string>): Edit {
  const known = new Set(document.nodes.filter(({ id }) => ids.has(id)).map(({ id }) => id))
  if (known.size === 0) return []
  const wires = document.connections.filter(({ source, target }) => known.has(source) || known.has(target))
  return [...removeConnections(idsOf(wires)), { kind: 'remove', list: 'nodes', ids: known }]
}

export function removeConnections(ids: ReadonlySet<string>): Edit {
  return ids.size === 0 ? [] : [{ kind: 'remove', list: 'connections', ids }]
}

export function moveNodes(document: Document, positions: ReadonlyMap<string, Point>): Edit {
  return document.nodes.flatMap(({ id, position }) => {
    const to = positions.get(id)
    if (!to) return []
    const { x, y } = rounded(to)
    if (x === position.x && y === position.y) return []
    const target = { list: 'nodes', id } as const
    return [
      { kind: 'set', target, path: ['position', 'x'], value: x },
      { kind: 'set', target, path: ['position', 'y'], value: y },
    ] satisfies Edit
  })
}

/** `replaced`: connections that the new one replaces. */
export function connect(document: Document, ends: WireEnds, replaced: readonly Connection[] = []): Edit {
  const existing = incoming(document, ends.target, ends.target_port)
  const same = existing.some(
    ({ source, source_port }) => source === ends.source && source_port === ends.source_port,
  )
  if (same) return []
  const rest = document.connections.filter((connection) => !replaced.includes(connection))
  const id = freeId('c-1', idsOf(document.connections))
  return [
    ...removeConnections(idsOf(replaced)),
    { kind: 'insert', list: 'connections', items: [{ index: rest.length, item: { id, ...ends } }] },
  ]
}

/** undefined removes the field, so that its default applies. */
export function configure(node: string, path: readonly string[], value: unknown): Edit {
  return [{ kind: 'set', target: { list: 'nodes', id: node }, path: ['config', ...path], value }]
}

/** Changes the id of a node and updates its connections. */
export function renameNode(document: Document, from: string, preferred: string): { edit: Edit; id: string } {
  const id = freeId(preferred.trim(), idsOf(document.nodes.filter((node) => node.id !== from)))
  if (id === from || id === '' || !nodeOf(document, from)) return { edit: [], id: from }
  const ends = (['source', 'target'] as const).flatMap((end) =>
    document.connections
      .filter((connection) => connection[end] === from)
      .map(
        (connection): Operation => ({
          kind: 'set',
          target: { list: 'connections', id: connection.id },
          path: [end],
          value: id,
        }),
      ),
  )
  const own: Operation = { kind: 'set', target: { list: 'nodes', id: from }, path: ['id'], value: id }
  return { id, edit: [own, ...ends, ...renamedInGroups(document, from, id)] }
}

/** Groups list the ids of their nodes, so they are updated when a node is renamed. */
function renamedInGroups(document: Document, from: string, to: string): Edit {
  return (document.groups ?? [])
    .filter(({ nodes }) => nodes.includes(from))
    .map(({ id, nodes }) => ({
      kind: 'set',
      target: { list: 'groups', id },
      path: ['nodes'],
      value: nodes.map((node) => (node === from ? to : node)),
    }))
}

export function describeDocument(field: 'name' | 'description', value: string): Edit {
  return [{ kind: 'set', target: 'document', path: ['metadata', field], value }]
}

/** Replaces the whole document with another version. */
export function replaceDocument(document: Document, other: Document): Edit {
  const keys = new Set([...Object.keys(document), ...Object.keys(other)])
  return [...keys]
    .filter((key) => document[key] !== other[key])
    .map((key) => ({ kind: 'set', target: 'document', path: [key], value: other[key] }))
}

/** Inserts copied nodes and connections, with new ids where theirs are used. */
export function insertCopy(
  document: Document,
  copy: { readonly nodes: readonly Node[]; readonly connections: readonly Connection[] },
  by: Point,
): { edit: Edit; ids: readonly string[] } {
  const used = idsOf(document.nodes)
  const renamed = new Map<string, string>()
  const nodes = copy.nodes.map((node) => {
    const id = freeId(node.id, used)
    used.add(id)
    renamed.set(node.id, id)
    const { x, y } = node.position
    return { ...node, id, position: { ...node.position, ...rounded({ x: x + by.x, y: y + by.y }) } }
  })
  const wires = idsOf(document.connections)
  const connections = copy.connections.flatMap((connection) => {
    const source = renamed.get(connection.source)
    const target = renamed.get(connection.target)
    if (source === undefined || target === undefined) return []
    const id = freeId(connection.id, wires)
    wires.add(id)
    return [{ ...connection, id, source, target }]
  })
  return { edit: insert(document, nodes, connections), ids: [...renamed.values()] }
}

function insert(document: Document, nodes: readonly Node[], connections: readonly Connection[]): Edit {
  const withIndex = <T>(items: readonly T[], from: number) =>
    items.map((item, i) => ({ index: from + i, item }))
  const edits: Operation[] = []
  if (nodes.length > 0)
    edits.push({ kind: 'insert', list: 'nodes', items: withIndex(nodes, document.nodes.length) })
  if (connections.length > 0)
    edits.push({
      kind: 'insert',
      list: 'connections',
      items: withIndex(connections, document.connections.length),
    })
  return edits
}

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) }
}
