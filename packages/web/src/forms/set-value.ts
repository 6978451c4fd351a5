import { type Document, isCollection, isMap, isNode, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'

/** Sets `value` at `path` in the document. Nodes that already have the value stay unchanged, with their comments. */
export function setValue(document: Document, path: readonly string[], value: unknown): void {
  const before = document.getIn(path, true)
  if (merge(document, before, value)) return
  const depth = depthOfBlockingScalar(document, path)
  const nested = path.slice(depth).reduceRight((nested, key) => ({ [key]: nested }), value)
  const target = path.slice(0, depth)
  document.setIn(target, withComments(document, document.getIn(target, true), nested))
}

/** Depth of a scalar that blocks the path, such as a section that is null; the length of the path if there is none. */
function depthOfBlockingScalar(document: Document, path: readonly string[]): number {
  const depth = path.findIndex((_, index) => {
    const above = index === 0 ? undefined : document.getIn(path.slice(0, index))
    return above !== undefined && !isCollection(above)
  })
  return depth === -1 ? path.length : depth
}

/** Updates a collection in place if the value is of the same kind. */
function merge(document: Document, node: unknown, value: unknown): boolean {
  if (isMap(node) && isObject(value)) mergeKeys(document, node, value)
  else if (isSeq(node) && Array.isArray(value)) mergeItems(document, node, value)
  else return false
  return true
}

function mergeKeys(document: Document, map: YAMLMap, value: Readonly<Record<string, unknown>>): void {
  // An empty map can only be written in braces; its new content needs none.
  if (map.items.length === 0) map.flow = false
  for (const { key } of [...map.items]) if (!Object.hasOwn(value, nameOf(key))) map.delete(key)
  for (const [name, inside] of Object.entries(value)) {
    const key = map.items.find((pair) => nameOf(pair.key) === name)?.key ?? name
    const before = map.get(key, true)
    if (!merge(document, before, inside)) map.set(key, withComments(document, before, inside))
  }
}

/** A removed item takes its comments with it; later items keep theirs. */
function mergeItems(document: Document, list: YAMLSeq, value: readonly unknown[]): void {
  for (const [index, item] of value.entries()) {
    while (list.items.length > value.length && !hasValue(document, list.items[index], item))
      list.delete(index)
    const before = list.get(index, true)
    if (!merge(document, before, item)) list.set(index, withComments(document, before, item))
  }
  list.items.length = value.length
}

function hasValue(document: Document, node: unknown, value: unknown): boolean {
  return JSON.stringify(isNode(node) ? node.toJS(document) : node) === JSON.stringify(value)
}

/** The value with the comments of the replaced node; a scalar that replaces a scalar inherits them by itself. */
function withComments(document: Document, before: unknown, value: unknown): unknown {
  if (isScalar(before) && (typeof value !== 'object' || value === null)) return value
  const node = document.createNode(value)
  if (isNode(before) && isNode(node)) {
    node.comment = before.comment ?? null
    node.commentBefore = before.commentBefore ?? null
  }
  return node
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
