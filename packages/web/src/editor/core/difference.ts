import type { Document, List } from './document'

/** How one item of a workflow stands in two versions of it. */
export interface Difference {
  readonly list: List | 'metadata'
  readonly id: string
  readonly how: 'added' | 'removed' | 'changed'
  /** Dotted keys that differ, of a change. */
  readonly keys: readonly string[]
}

/** What leads from `before` to `after`; the order of keys and of items says nothing. */
export function differences(before: Document, after: Document): readonly Difference[] {
  const metadata = changedKeys(before.metadata, after.metadata)
  return [
    ...metadata.map((key) => ({ list: 'metadata', id: key, how: 'changed', keys: [key] }) as const),
    ...between('nodes', before.nodes, after.nodes),
    ...between('connections', before.connections, after.connections),
    ...between('groups', before.groups, after.groups),
    ...between('notes', before.notes, after.notes),
  ]
}

function between(
  list: List,
  before: readonly { readonly id: string }[] = [],
  after: readonly { readonly id: string }[] = [],
): Difference[] {
  const old = new Map(before.map((item) => [item.id, item]))
  const next = new Map(after.map((item) => [item.id, item]))
  const result: Difference[] = []
  for (const [id, item] of next) {
    const previous = old.get(id)
    const keys = previous ? changedKeys(previous, item) : []
    if (!previous) result.push({ list, id, how: 'added', keys })
    else if (keys.length > 0) result.push({ list, id, how: 'changed', keys })
  }
  for (const id of old.keys()) if (!next.has(id)) result.push({ list, id, how: 'removed', keys: [] })
  return result
}

/** Dotted down to the fields of a config; what lies deeper is one value. */
function changedKeys(before: object, after: object, prefix = ''): string[] {
  const a = before as Record<string, unknown>
  const b = after as Record<string, unknown>
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
    if (canonical(a[key]) === canonical(b[key])) return []
    if (key === 'config') return changedKeys(a[key] as object, b[key] as object, 'config.')
    return [`${prefix}${key}`]
  })
}

/** Whether two versions say the same, whatever the order of their keys. */
export function sameDocument(a: Document, b: Document): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
