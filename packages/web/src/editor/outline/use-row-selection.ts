import { useCallback, useRef } from 'react'
import { useEditor } from '../state/context'
import type { Row } from './rows'

export interface Modifiers {
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

/** Selects the node of a row: only that node, with Mod in addition to others, with Shift the range from the last single selection. */
export function useRowSelection(rows: readonly Row[]): (index: number, keys: Modifiers) => void {
  const { session } = useEditor()
  const anchor = useRef<string | null>(null)
  return useCallback(
    (index, { shiftKey, ctrlKey, metaKey }) => {
      const row = rows[index]
      if (!row) return
      const from = rows.findIndex(({ key }) => key === anchor.current)
      if (shiftKey && from >= 0) {
        const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1)
        return session.select(range.map(({ node }) => node.id))
      }
      anchor.current = row.key
      if (!ctrlKey && !metaKey) return session.select([row.node.id])
      const chosen = new Set(session.state().nodes)
      if (!chosen.delete(row.node.id)) chosen.add(row.node.id)
      session.select(chosen)
    },
    [rows, session],
  )
}
