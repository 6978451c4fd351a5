import type { Row } from './rows'

/** Effect of a key in the outline: the row to focus, or the node to expand or collapse. */
export type Move = { readonly to: number } | { readonly toggle: string }

/** Keyboard behavior of a tree (APG, treegrid). @param page number of rows in view */
export function moveForKey(
  key: string,
  rows: readonly Row[],
  index: number,
  open: ReadonlySet<string>,
  page: number,
): Move | null {
  const within = (index: number) => ({ to: Math.min(rows.length - 1, Math.max(0, index)) })
  switch (key) {
    case 'ArrowDown':
      return within(index + 1)
    case 'ArrowUp':
      return within(index - 1)
    case 'PageDown':
      return within(index + page)
    case 'PageUp':
      return within(index - page)
    case 'Home':
      return within(0)
    case 'End':
      return within(rows.length - 1)
    case 'ArrowRight':
      return inwards(rows, index, open)
    case 'ArrowLeft':
      return outwards(rows, index, open)
    default:
      return null
  }
}

function inwards(rows: readonly Row[], index: number, open: ReadonlySet<string>): Move | null {
  const row = rows[index]
  if (!row || row.port) return null
  if (!open.has(row.node.id)) return { toggle: row.node.id }
  return rows[index + 1]?.port ? { to: index + 1 } : null
}

function outwards(rows: readonly Row[], index: number, open: ReadonlySet<string>): Move | null {
  const row = rows[index]
  if (!row) return null
  if (row.port) return { to: index - row.position }
  return open.has(row.node.id) ? { toggle: row.node.id } : null
}
