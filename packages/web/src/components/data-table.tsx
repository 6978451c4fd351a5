import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import styles from './data-table.module.css'
import { Checkbox } from './field'
import { Icon } from './icon'
import { ScrollRegion } from './scroll-region'
import { useFixedColumnWidths } from './use-fixed-column-widths'

const ROW_PIXELS = 40
/** Rows rendered beyond each end of the view: each additional row costs layout time at every scroll step. */
const OVERSCAN = 5

export interface Column<Row> {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers are aligned at the end of the cell, so that their digits line up. */
  readonly numeric?: boolean
  /** Sort key of the service. */
  readonly sortKey?: string
  /** Width in rem. */
  readonly width?: number
}

export interface Sorting {
  readonly by: string
  readonly order: 'asc' | 'desc'
}

interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Accessible name of a row, for its checkbox: "Select NAME". */
  readonly rowName: (row: Row) => string
  /** Total number of rows; only part of them may be loaded. */
  readonly total: number
  readonly onMore?: (() => void) | undefined
  readonly sorting?: Sorting
  readonly onSort?: (sorting: Sorting) => void
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (selected: ReadonlySet<string>) => void
}

/**
 * A table of any length: only the visible rows are in the document, and the service sorts. Screen readers still see a table and its
 * total number of rows.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowName, total, onMore, selected, onSelect } = props
  const frame = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
  })
  const table = useRef<HTMLTableElement>(null)
  useFixedColumnWidths(table, virtual.isScrolling)
  const items = virtual.getVirtualItems()
  const first = items[0]
  const last = items.at(-1)
  const nearEnd = last !== undefined && last.index >= rows.length - 20
  useEffect(() => {
    if (nearEnd && rows.length < total) onMore?.()
  }, [nearEnd, rows.length, total, onMore])
  const toggleRow = useToggleRow(props)
  const hasCheckboxes = onSelect !== undefined && selected !== undefined
  const span = columns.length + (hasCheckboxes ? 1 : 0)
  return (
    <ScrollRegion ref={frame} className={styles.frame} label={label}>
      <table ref={table} className={styles.table} aria-rowcount={total + 1}>
        <Head {...props} />
        <tbody>
          <Spacer pixels={first?.start ?? 0} span={span} />
          {items.map(({ index }) => {
            const row = rows[index] as Row
            const key = rowKey(row)
            return (
              <BodyRow
                key={key}
                row={row}
                id={key}
                name={rowName(row)}
                rowIndex={index + 2}
                columns={columns}
                isSelected={selected?.has(key) ?? false}
                onChoose={hasCheckboxes ? toggleRow : undefined}
              />
            )
          })}
          <Spacer pixels={virtual.getTotalSize() - (last?.end ?? 0)} span={span} />
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface BodyRowProps<Row> {
  readonly row: Row
  readonly id: string
  readonly name: string
  readonly rowIndex: number
  readonly columns: readonly Column<Row>[]
  readonly isSelected: boolean
  readonly onChoose: ((id: string, on: boolean) => void) | undefined
}

/** Scrolling changes which rows exist and not their content, so a remaining row is not rendered again. */
const BodyRow = memo(function BodyRow<Row>({
  row,
  id,
  name,
  rowIndex,
  columns,
  isSelected,
  onChoose,
}: BodyRowProps<Row>) {
  const t = useText(parts)
  return (
    <tr aria-rowindex={rowIndex} data-selected={onChoose && isSelected}>
      {onChoose && (
        <td className={styles.checkbox}>
          <Checkbox
            label={t('table.select', { name })}
            isSelected={isSelected}
            onChange={(on) => onChoose(id, on)}
          />
        </td>
      )}
      {columns.map(({ id, cell, numeric }) => (
        <td key={id} data-numeric={numeric}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: BodyRowProps<Row>) => ReactNode

/** Adds a row to the selection or removes it. The function stays the same while the table is shown, so that rows are not rendered again. */
function useToggleRow<Row>({ selected, onSelect }: DataTableProps<Row>): (id: string, on: boolean) => void {
  const latest = useRef({ selected, onSelect })
  latest.current = { selected, onSelect }
  return useCallback((id, on) => {
    const next = new Set(latest.current.selected)
    if (on) next.add(id)
    else next.delete(id)
    latest.current.onSelect?.(next)
  }, [])
}

function Head<Row>({ columns, rows, rowKey, sorting, onSort, selected, onSelect }: DataTableProps<Row>) {
  const t = useText(parts)
  const all = rows.length > 0 && rows.every((row) => selected?.has(rowKey(row)))
  return (
    <thead>
      <tr aria-rowindex={1}>
        {onSelect && selected && (
          <th scope="col" className={styles.checkbox}>
            <Checkbox
              label={t('table.selectAll')}
              isSelected={all}
              isIndeterminate={!all && selected.size > 0}
              onChange={(on) => onSelect(new Set(on ? rows.map(rowKey) : []))}
            />
          </th>
        )}
        {columns.map((column) => (
          <HeadCell
            key={column.id}
            column={column}
            {...(sorting ? { sorting } : {})}
            {...(onSort ? { onSort } : {})}
          />
        ))}
      </tr>
    </thead>
  )
}

function HeadCell<Row>({
  column: { title, sortKey, numeric, width },
  sorting,
  onSort,
}: {
  readonly column: Column<Row>
  readonly sorting?: Sorting
  readonly onSort?: (sorting: Sorting) => void
}) {
  const size = width === undefined ? {} : { style: { width: `${width}rem` } }
  if (sortKey === undefined || !onSort)
    return (
      <th scope="col" data-numeric={numeric} {...size}>
        {title}
      </th>
    )
  const order = sorting?.by === sortKey ? sorting.order : undefined
  const sort =
    order === undefined
      ? {}
      : { 'aria-sort': order === 'asc' ? ('ascending' as const) : ('descending' as const) }
  return (
    <th scope="col" data-numeric={numeric} {...size} {...sort}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => onSort({ by: sortKey, order: order === 'desc' ? 'asc' : 'desc' })}
      >
        {title}
        <span className={styles.arrow} data-order={order}>
          <Icon name="down" />
        </span>
      </button>
    </th>
  )
}

/** Placeholder for the rows that are not in the document. */
function Spacer({ pixels, span }: { readonly pixels: number; readonly span: number }) {
  if (pixels <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in this row can be focused
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height: pixels, padding: 0, border: 0 }} />
    </tr>
  )
}
