import { type RefObject, useLayoutEffect } from 'react'

/**
 * Fixes the column widths of a table, so that columns do not move and are not measured while rows appear and disappear.
 * @param held true while the table is scrolled; otherwise columns are as wide as their content.
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
