import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { moveOf } from './keys'
import type { Row } from './rows'
import type { Modifiers } from './use-row-selection'

interface Acts {
  readonly open: ReadonlySet<string>
  readonly page: number
  readonly toggle: (node: string) => void
  readonly act: (row: Row) => void
  /** Scrolls the row into view. */
  readonly bring: (index: number) => void
  readonly choose: (index: number, keys: Modifiers) => void
}

/** Roving focus: Tab reaches one row, arrow keys move from it, and the focus keeps its position when its row is removed. */
export function useRowFocus(rows: readonly Row[]) {
  const [key, setKey] = useState<string | null>(null)
  const last = useRef(0)
  const wanted = useRef<HTMLElement | null>(null)
  const indexes = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows])
  const at = indexes.get(key ?? '') ?? Math.min(last.current, rows.length - 1)
  const reached = rows[at]?.key
  useLayoutEffect(() => {
    last.current = at
    // Removal of a focused row drops the focus without an event.
    const tree = wanted.current
    if (!tree || reached === undefined || tree.contains(document.activeElement)) return
    tree.querySelector<HTMLElement>(`[data-key="${CSS.escape(reached)}"]`)?.focus({ preventScroll: true })
  })
  const go = (tree: HTMLElement, index: number, bring: Acts['bring']) => {
    const { key: next } = rows[index] as Row
    setKey(next)
    bring(index)
    // The row is in the document after the next render; until then the focus stays in the tree.
    requestAnimationFrame(() =>
      tree.querySelector<HTMLElement>(`[data-key="${CSS.escape(next)}"]`)?.focus({ preventScroll: true }),
    )
  }
  const rowOf = (target: EventTarget) => indexes.get(keyAt(target) ?? '')
  return {
    at,
    rowOf,
    onFocus: (event: FocusEvent<HTMLElement>) => {
      wanted.current = event.currentTarget
      const focused = keyAt(event.target)
      if (focused !== undefined) setKey(focused)
    },
    onBlur: () => {
      wanted.current = null
    },
    onKeys:
      ({ open, page, toggle, act, bring, choose }: Acts) =>
      (event: KeyboardEvent<HTMLElement>) => {
        const row = rows[at]
        if (!row || event.altKey || event.defaultPrevented) return
        if (event.key === 'Enter') act(row)
        else if (event.key === ' ') choose(at, event)
        else {
          const move = moveOf(event.key, rows, at, open, page)
          if (!move) return
          if ('toggle' in move) toggle(move.toggle)
          else {
            go(event.currentTarget, move.to, bring)
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
