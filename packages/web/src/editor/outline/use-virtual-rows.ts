import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useRef } from 'react'
import type { Row } from './rows'

/** Above this number, only the visible rows and the focused row are in the document. */
const MANY = 200
const ROW_PIXELS = 44
const OVERSCAN = 8

/** Rows that are in the document, with their positions. @param at row that stays in the document while the others scroll */
export function useVirtualRows(rows: readonly Row[], index: number) {
  const frame = useRef<HTMLDivElement>(null)
  const many = rows.length > MANY
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: many,
    getScrollElement: () => frame.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), index])].sort((a, b) => a - b),
  })
  const shown = many
    ? virtual.getVirtualItems().map(({ index, start }) => ({ index, start }))
    : rows.map((_, index) => ({ index, start: null }))
  const scrollToRow = useCallback(
    (index: number) => {
      if (many) virtual.scrollToIndex(index, { align: 'auto' })
    },
    [many, virtual],
  )
  return {
    ...{ frame, many, shown, scrollToRow: scrollToRow, measure: virtual.measureElement },
    height: many ? virtual.getTotalSize() : null,
    page: Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / ROW_PIXELS) - 1),
  }
}
