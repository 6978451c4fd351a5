import type { Workflow } from './saved-workflow.js'
import type { FieldDifference, ItemDifference } from './workflow-difference.js'

/** Differences between two versions; the order of keys and items, and the execution history, are ignored. */
export function differences(from: Workflow, to: Workflow): ItemDifference[] {
  const metadata = fieldsOf(from.metadata, to.metadata)
  return [
    ...metadata.map((one) => changed('metadata', one.field, [one])),
    ...between('nodes', from.nodes, to.nodes),
    ...between('connections', from.connections, to.connections),
    ...between('groups', from.groups, to.groups),
    ...between('notes', from.notes, to.notes),
  ]
}

type Item = Record<string, unknown> & { readonly id: string }

function between(
  list: ItemDifference['list'],
  from: readonly Item[] = [],
  to: readonly Item[] = [],
): ItemDifference[] {
  const old = new Map(from.map((item) => [item.id, item]))
  const next = new Map(to.map((item) => [item.id, item]))
  const result: ItemDifference[] = []
  for (const [id, item] of next) {
    const previous = old.get(id)
    const fields = previous ? fieldsOf(previous, item) : []
    if (!previous) result.push({ list, id, how: 'added', item, fields })
    else if (fields.length > 0) result.push(changed(list, id, fields))
  }
  for (const [id, item] of old) if (!next.has(id)) result.push({ list, id, how: 'removed', item, fields: [] })
  return result
}

const changed = (list: ItemDifference['list'], id: string, fields: FieldDifference[]): ItemDifference => ({
  list,
  id,
  how: 'changed',
  item: null,
  fields,
})

function fieldsOf(
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  prefix = '',
): FieldDifference[] {
  return keysOf(from, to).flatMap((key) => {
    const [a, b] = [own(from, key), own(to, key)]
    if (same(a, b)) return []
    if (key === 'config' && prefix === '' && isRecord(a) && isRecord(b)) return fieldsOf(a, b, 'config.')
    return [{ field: `${prefix}${key}`, from: a ?? null, to: b ?? null }]
  })
}

/** Reports whether two versions are identical, whatever the order of their keys. */
export function sameWorkflow(a: Workflow, b: Workflow): boolean {
  return same(a, b)
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, index) => same(value, b[index]))
  return isRecord(a) && isRecord(b) && keysOf(a, b).every((key) => same(own(a, key), own(b, key)))
}

const keysOf = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])]

/** "constructor" is an ordinary key here. */
const own = (object: Record<string, unknown>, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
