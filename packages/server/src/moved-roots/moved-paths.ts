import { isAbsolute, join, relative } from 'node:path'
import type { NamedRoot } from '../security/named-roots.js'
import { isInside } from '../storage/is-inside.js'

/** A root whose location changed from `from` to `to`. */
export interface Move {
  readonly from: string
  readonly to: string
}

/**
 * The roots that had another location, innermost former location first. A location that is a root today has not moved, whatever its name is
 * now.
 */
export function movesOf(former: readonly NamedRoot[], today: readonly NamedRoot[]): Move[] {
  return former
    .filter(({ folder }) => !today.some((root) => root.folder === folder))
    .flatMap(({ name, folder }) => {
      const root = today.find((known) => known.name === name)
      return root ? [{ from: folder, to: root.folder }] : []
    })
    .sort((one, other) => other.from.length - one.from.length)
}

/** Current location of a path; null if its root has not moved. */
export function movedPath(moves: readonly Move[], path: string): string | null {
  if (!isAbsolute(path)) return null
  const move = moves.find(({ from }) => isInside([from], path))
  return move ? join(move.to, relative(move.from, path)) : null
}

/** Every text in a JSON value. */
export function* textsIn(value: unknown): Generator<string, void, void> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner)
}

/** A JSON value with changed texts; the order of its keys is preserved. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]))
}
