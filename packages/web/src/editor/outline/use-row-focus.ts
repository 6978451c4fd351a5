import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { moveForKey } from './keys'
import type { Row } from './rows'
import type { Modifiers } from './use-row-selection'

interface RowActions {
  readonly open: ReadonlySet<string>
  readonly page: number
  readonly toggle: (node: string) => void
  readonly act: (row: Row) => void
  /** Scrolls the row into view. */
  readonly scrollToRow: (index: number) => void
  readonly choose: (index: number, keys: Modifiers) => void
}

/** Roving focus: Tab reaches one row, arrow keys move from it, and the focus keeps its position when its row is removed. */
export function useRowFocus(rows: readonly Row[]) {
  const [key, setKey] = useState<string | null>(null)
  const last = useRef(0)
  const focusedTree = useRef<HTMLElement | null>(null)
  const indexes = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows])
  const index = indexes.get(key ?? '') ?? Math.min(last.current, rows.length - 1)
  const reached = rows[index]?.key
  useLayoutEffect(() => {
    last.current = index
    // Removal of a focused row drops the focus without an event.
    const tree = focusedTree.current
    if (!tree || reached === undefined || tree.contains(document.activeElement)) return
    tree.querySelector<HTMLElement>(`[data-key="${CSS.escape(reached)}"]`)?.focus({ preventScroll: true })
  })
  const go = (tree: HTMLElement, index: number, scrollToRow: RowActions['scrollToRow']) => {
    const { key: next } = rows[index] as Row
    setKey(next)
    scrollToRow(index)
    // The row is in the document after the next render; until then the focus stays in the tree.
    requestAnimationFrame(() =>
      tree.querySelector<HTMLElement>(`[data-key="${CSS.escape(next)}"]`)?.focus({ preventScroll: true }),
    )
  }
  const rowOf = (target: EventTarget) => indexes.get(keyAt(target) ?? '')
  return {
    index,
    rowOf,
    onFocus: (event: FocusEvent<HTMLElement>) => {
      focusedTree.current = event.currentTarget
      const focused = keyAt(event.target)
      if (focused !== undefined) setKey(focused)
    },
    onBlur: () => {
      focusedTree.current = null
    },
    onKeys:
      ({ open, page, toggle, act, scrollToRow, choose }: RowActions) =>
      (event: KeyboardEvent<HTMLElement>) => {
        const row = rows[index]
        if (!row || event.altKey || event.defaultPrevented) return
        if (event.key === 'Enter') act(row)
        else if (event.key === ' ') choose(index, event)
        else {
          const move = moveForKey(event.key, rows, index, open, page)
          if (!move) return
          if ('toggle' in move) toggle(move.toggle)
          else {
            go(event.currentTarget, move.to, scrollToRow)
            if (!event.ctrlKey && !event.metaKey) choose(move.to, event)
          }
        }
        event.preventDefault()
        event.stopPropagation()
      },
  }
}

const keyAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset.key : undefined
