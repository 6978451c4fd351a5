import { type RefObject, useLayoutEffect } from 'react'

/**
 * Keeps the columns of a table as wide as they are, so that they do not move, and need not be measured, while rows come and go.
 * @param held as long as it is scrolled; at rest they are as wide as what they hold.
 */
export function useHeldWidths(table: RefObject<HTMLTableElement | null>, held: boolean): void {
  useLayoutEffect(() => {
    const element = table.current
    if (!element || !held) return
    const cells = [...(element.tHead?.rows[0]?.cells ?? [])]
    const before = cells.map(({ style }) => style.width)
    const widths = cells.map((cell) => cell.getBoundingClientRect().width)
    for (const [at, { style }] of cells.entries()) style.width = `${widths[at]}px`
    element.style.tableLayout = 'fixed'
    return () => {
      for (const [at, { style }] of cells.entries()) style.width = before[at] ?? ''
      element.style.tableLayout = ''
    }
  }, [table, held])
}
