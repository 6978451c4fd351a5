import type { Workflow, WorkflowConnection, WorkflowNode } from '@medloom/contracts'

/** A workflow in the format of its saved file, including unknown fields. Documents are immutable. */
export type Document = Workflow
export type Node = WorkflowNode
export type Connection = WorkflowConnection

/** The lists of a document; ids identify their items. */
export type List = 'nodes' | 'connections' | 'groups' | 'notes'
export type Item<L extends List> = NonNullable<Document[L]>[number]

export const nodeOf = (document: Document, id: string): Node | undefined => indexOf(document).nodes.get(id)

/** The node after the removed ones, in document order; at the end of the document the one before them. */
export function nodeAfter(document: Document, removed: ReadonlySet<string>): string | null {
  const last = document.nodes.findLastIndex(({ id }) => removed.has(id))
  if (last < 0) return null
  const rest = document.nodes.slice(0, last).findLast(({ id }) => !removed.has(id))
  return (document.nodes[last + 1] ?? rest)?.id ?? null
}

/** Connections to a port, or to any port of a node. */
export function incoming(document: Document, node: string, port?: string): readonly Connection[] {
  const all = indexOf(document).arriving.get(node) ?? []
  return port === undefined ? all : all.filter(({ target_port }) => target_port === port)
}

/** Connections from a port, or from any port of a node. */
export function outgoing(document: Document, node: string, port?: string): readonly Connection[] {
  const all = indexOf(document).leaving.get(node) ?? []
  return port === undefined ? all : all.filter(({ source_port }) => source_port === port)
}

interface Index {
  readonly nodes: ReadonlyMap<string, Node>
  readonly arriving: ReadonlyMap<string, readonly Connection[]>
  readonly leaving: ReadonlyMap<string, readonly Connection[]>
}
const indexes = new WeakMap<Document, Index>()

/** Built once per document, because documents are immutable. If several nodes share an id, the first one counts. */
function indexOf(document: Document): Index {
  const cached = indexes.get(document)
  if (cached) return cached
  const nodes = new Map<string, Node>()
  for (const node of document.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node)
  const connectionsBy = (end: 'source' | 'target') => {
    const map = new Map<string, Connection[]>()
    for (const connection of document.connections) {
      const list = map.get(connection[end])
      if (list) list.push(connection)
      else map.set(connection[end], [connection])
    }
    return map
  }
  const index = { nodes, arriving: connectionsBy('target'), leaving: connectionsBy('source') }
  indexes.set(document, index)
  return index
}

/** An unused id: "train", "train-2", "train-3", … */
export function freeId(preferred: string, used: ReadonlySet<string>): string {
  if (!used.has(preferred)) return preferred
  const stem = preferred.replace(/-\d+$/, '')
  for (let number = 2; ; number++) {
    const id = `${stem}-${number}`
    if (!used.has(id)) return id
  }
}

export const idsOf = (items: readonly { readonly id: string }[]): Set<string> =>
  new Set(items.map(({ id }) => id))

/** "LoadDataset" → "load-dataset": the form of the ids of new nodes. */
export function kebab(type: string): string {
  return type.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase()
}

/** All nodes downstream of a node, including the node itself. Iterative, so that long chains do not exhaust the stack. */
export function downstream(document: Document, from: string): ReadonlySet<string> {
  return reachable(from, (id) => outgoing(document, id).map(({ target }) => target))
}

/** All nodes upstream of a node, including the node itself. */
export function upstream(document: Document, from: string): ReadonlySet<string> {
  return reachable(from, (id) => incoming(document, id).map(({ source }) => source))
}

function reachable(from: string, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set([from])
  for (const id of reached) for (const other of next(id)) reached.add(other)
  return reached
}
