import type { Row } from './rows'

/** Effect of a key in the outline: the row to focus, or the node to expand or collapse. */
export type Move = { readonly to: number } | { readonly toggle: string }

/** Keyboard behavior of a tree (APG, treegrid). @param page number of rows in view */
export function moveOf(
  key: string,
  rows: readonly Row[],
  at: number,
  open: ReadonlySet<string>,
  page: number,
): Move | null {
  const within = (index: number) => ({ to: Math.min(rows.length - 1, Math.max(0, index)) })
  switch (key) {
    case 'ArrowDown':
      return within(at + 1)
    case 'ArrowUp':
      return within(at - 1)
    case 'PageDown':
      return within(at + page)
    case 'PageUp':
      return within(at - page)
    case 'Home':
      return within(0)
    case 'End':
      return within(rows.length - 1)
    case 'ArrowRight':
      return inwards(rows, at, open)
    case 'ArrowLeft':
      return outwards(rows, at, open)
    default:
      return null
  }
}

function inwards(rows: readonly Row[], at: number, open: ReadonlySet<string>): Move | null {
  const row = rows[at]
  if (!row || row.port) return null
  if (!open.has(row.node.id)) return { toggle: row.node.id }
  return rows[at + 1]?.port ? { to: at + 1 } : null
}

function outwards(rows: readonly Row[], at: number, open: ReadonlySet<string>): Move | null {
  const row = rows[at]
  if (!row) return null
  if (row.port) return { to: at - row.place }
  return open.has(row.node.id) ? { toggle: row.node.id } : null
}
