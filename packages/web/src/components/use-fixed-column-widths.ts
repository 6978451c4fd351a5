import { type RefObject, useLayoutEffect } from 'react'

/**
 * Fixes the column widths of a table, so that columns do not move and are not measured while rows appear and disappear.
 * @param isFixed true while the table is scrolled; otherwise columns are as wide as their content.
 */
export function useFixedColumnWidths(table: RefObject<HTMLTableElement | null>, isFixed: boolean): void {
  useLayoutEffect(() => {
    const element = table.current
    if (!element || !isFixed) return
    const cells = [...(element.tHead?.rows[0]?.cells ?? [])]
    const before = cells.map(({ style }) => style.width)
    const widths = cells.map((cell) => cell.getBoundingClientRect().width)
    for (const [index, { style }] of cells.entries()) style.width = `${widths[index]}px`
    element.style.tableLayout = 'fixed'
    return () => {
      for (const [index, { style }] of cells.entries()) style.width = before[index] ?? ''
      element.style.tableLayout = ''
    }
  }, [table, isFixed])
}
