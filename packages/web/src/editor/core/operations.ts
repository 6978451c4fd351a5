import type { Document, Item, List } from './document'

/**
 * Operations on a document. The inverse of each operation is an operation as well, so that everything can be undone without copies of the
 * document.
 */
export type Operation =
  | Insert<'nodes'>
  | Insert<'connections'>
  | Insert<'groups'>
  | Insert<'notes'>
  | Remove
  | SetValue

interface Insert<L extends List> {
  readonly kind: 'insert'
  readonly list: L
  /** Items with their indices after the operation, ascending. */
  readonly items: readonly { readonly index: number; readonly item: Item<L> }[]
}
interface Remove {
  readonly kind: 'remove'
  readonly list: List
  readonly ids: ReadonlySet<string>
}
interface SetValue {
  readonly kind: 'set'
  /** An item of a list, or the document itself for fields outside the lists. */
  readonly target: { readonly list: List; readonly id: string } | 'document'
  readonly path: readonly string[]
  /** undefined removes the key. */
  readonly value: unknown
}

type Json = Readonly<Record<string, unknown>>

export function apply(document: Document, operations: readonly Operation[]): Document {
  return operations.reduce(applyOne, document)
}

/** The operations that lead back from `apply(document, operations)` to `document`. */
export function invert(document: Document, operations: readonly Operation[]): readonly Operation[] {
  const inverses: Operation[] = []
  let state = document
  for (const operation of operations) {
    inverses.unshift(inverseOf(state, operation))
    state = applyOne(state, operation)
  }
  return inverses
}

function applyOne(document: Document, operation: Operation): Document {
  if (operation.kind === 'insert') {
    if (operation.items.length === 0) return document
    const list: readonly unknown[] = document[operation.list] ?? []
    return { ...document, [operation.list]: inserted(list, operation.items) }
  }
  // A missing list contains nothing to remove or to change, and is not created.
  const list =
    operation.kind === 'remove'
      ? operation.list
      : operation.target === 'document'
        ? null
        : operation.target.list
  if (list !== null && document[list] === undefined) return document
  if (operation.kind === 'remove') {
    const items = itemsOf(document, operation.list)
    return { ...document, [operation.list]: items.filter(({ id }) => !operation.ids.has(id)) }
  }
  const { target, path, value } = operation
  if (target === 'document') return setAt(document, path, value) as Document
  const items = itemsOf(document, target.list)
  return {
    ...document,
    [target.list]: replaceFirst(items, target.id, (item) => setAt(item as unknown as Json, path, value)),
  }
}

const itemsOf = (document: Document, list: List): readonly { readonly id: string }[] => document[list] ?? []

/** Files may contain duplicate ids; operations refer to the first one. */
function replaceFirst<T extends { readonly id: string }>(
  items: readonly T[],
  id: string,
  change: (item: T) => unknown,
): readonly unknown[] {
  const first = items.findIndex((item) => item.id === id)
  return items.map((item, index) => (index === first ? change(item) : item))
}

function inverseOf(document: Document, operation: Operation): Operation {
  if (operation.kind === 'insert' && document[operation.list] === undefined)
    return { kind: 'set', target: 'document', path: [operation.list], value: undefined }
  if (operation.kind === 'insert')
    return { kind: 'remove', list: operation.list, ids: new Set(operation.items.map(({ item }) => item.id)) }
  if (operation.kind === 'remove') {
    const items = itemsOf(document, operation.list).flatMap((item, index) =>
      operation.ids.has(item.id) ? [{ index, item }] : [],
    )
    return { kind: 'insert', list: operation.list, items } as unknown as Operation
  }
  const { target, path, value } = operation
  if (target === 'document') return { ...operation, ...previousValue(document, path) }
  const item = itemsOf(document, target.list).find(({ id }) => id === target.id)
  // If the operation changes the id, its inverse finds the item by the new id.
  const renamed = path.length === 1 && path[0] === 'id' ? { ...target, id: String(value) } : target
  return { ...operation, target: renamed, ...previousValue(item, path) }
}

/** Previous value. If the operation also creates parent objects, the inverse removes the topmost of them. */
function previousValue(root: unknown, path: readonly string[]): Pick<SetValue, 'path' | 'value'> {
  for (let length = 1; length < path.length; length++) {
    const prefix = path.slice(0, length)
    const value = valueAt(root, prefix)
    if (!isObject(value)) return { path: prefix, value }
  }
  return { path, value: valueAt(root, path) }
}

function inserted<T>(
  list: readonly T[],
  items: readonly { readonly index: number; readonly item: T }[],
): T[] {
  const result: T[] = []
  let next = 0
  let rest = 0
  while (result.length < list.length + items.length) {
    const insertion = items[next]
    if (insertion && (insertion.index <= result.length || rest >= list.length)) {
      result.push(insertion.item)
      next++
    } else result.push(list[rest++] as T)
  }
  return result
}

function setAt(value: Json, [key, ...rest]: readonly string[], next: unknown): Json {
  if (key === undefined) return next as Json
  if (rest.length > 0) {
    const inner = value[key]
    return { ...value, [key]: setAt(isObject(inner) ? inner : {}, rest, next) }
  }
  if (next !== undefined) return { ...value, [key]: next }
  const { [key]: _, ...others } = value
  return others
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, key) => (isObject(inside) ? inside[key] : undefined), value)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
