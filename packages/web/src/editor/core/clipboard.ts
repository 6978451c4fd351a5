import type { Connection, Document, Node } from './document'

/** Copied nodes as JSON text in the format of a saved file, so that it can be read, sent and stored. */
export interface Copy {
  readonly nodes: readonly Node[]
  readonly connections: readonly Connection[]
}

/** Copies the nodes and the connections between them. */
export function copyText({ nodes, connections }: Document, ids: ReadonlySet<string>): string {
  const copy = {
    nodes: nodes.filter(({ id }) => ids.has(id)),
    connections: connections.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  }
  return JSON.stringify(copy, null, 2)
}

/** null: the text contains no nodes. Unknown fields of a node are preserved. */
export function readCopy(text: string): Copy | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(value) || !Array.isArray(value.nodes)) return null
  const nodes = value.nodes.map(readNode)
  const connections = Array.isArray(value.connections) ? value.connections : []
  if (nodes.length === 0 || nodes.includes(null) || !connections.every(isConnection)) return null
  return { nodes: nodes as Node[], connections }
}

function readNode(value: unknown): Node | null {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.type !== 'string') return null
  const { position, config } = value
  const point = isObject(position) ? position : {}
  const finite = (number: unknown) => (typeof number === 'number' && Number.isFinite(number) ? number : 0)
  return {
    ...value,
    id: value.id,
    type: value.type,
    position: { ...point, x: finite(point.x), y: finite(point.y) },
    config: isObject(config) ? config : {},
  }
}

function isConnection(value: unknown): value is Connection {
  return (
    isObject(value) &&
    ['id', 'source', 'source_port', 'target', 'target_port'].every((key) => typeof value[key] === 'string')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
