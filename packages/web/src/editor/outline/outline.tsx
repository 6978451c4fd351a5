import { type MouseEvent, useMemo, useState } from 'react'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { columnOrder } from '../core/layout'
import { useEditor, useEditState } from '../state/context'
import styles from './outline.module.css'
import { isOpener, OutlineRow } from './outline-row'
import { type Row, rowsOf } from './rows'
import { useRowFocus } from './use-row-focus'
import { useRowSelection } from './use-row-selection'
import { useVirtualRows } from './use-virtual-rows'

const NONE: ReadonlySet<string> = new Set()

/** The workflow as a tree of nodes and ports: everything that the canvas shows and offers, without dragging. */
export function Outline() {
  const t = useText(text)
  const { catalog } = useEditor()
  const { document } = useEditState().history
  const [open, setOpen] = useState(NONE)
  const order = useMemo(() => columnOrder(document), [document])
  const rows = useMemo(() => rowsOf(document, order, open, catalog), [document, order, open, catalog])
  const toggle = (node: string) => setOpen((before) => toggled(before, node))
  if (rows.length === 0) return <p className={styles.soft}>{t('canvas.empty')}</p>
  return <Rows rows={rows} open={open} toggle={toggle} />
}

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(item)) next.add(item)
  return next
}

interface RowsProps {
  readonly rows: readonly Row[]
  readonly open: ReadonlySet<string>
  readonly toggle: (node: string) => void
}

function Rows({ rows, open, toggle }: RowsProps) {
  const t = useText(text)
  const { goTo, openConnectDialog } = useEditor()
  const { nodes: selected } = useEditState()
  const focus = useRowFocus(rows)
  const { frame, many, shown, height, scrollToRow, page, measure } = useVirtualRows(rows, focus.index)
  const choose = useRowSelection(rows)
  const act = ({ node, port }: Row) =>
    port
      ? openConnectDialog({ from: { node: node.id, port: port.view.name, side: port.side } })
      : goTo(node.id)
  const onClick = (event: MouseEvent) => {
    const index = focus.rowOf(event.target)
    const row = index === undefined ? undefined : rows[index]
    if (index === undefined || !row) return
    if (isOpener(event.target)) toggle(row.node.id)
    else if (event.detail === 2) act(row)
    else choose(index, event)
  }
  return (
    <div
      ref={frame}
      role="treegrid"
      aria-label={t('side.outline')}
      aria-multiselectable
      aria-rowcount={rows.length}
      className={styles.tree}
      data-many={many}
      onClick={onClick}
      onKeyDown={focus.onKeys({ open, page, toggle, act, scrollToRow, choose })}
      onFocus={focus.onFocus}
      onBlur={focus.onBlur}
    >
      <div className={styles.rows} style={height === null ? {} : { height }}>
        {shown.map(({ index, start }) => {
          const row = rows[index] as Row
          return (
            <OutlineRow
              key={row.key}
              ref={start === null ? null : measure}
              row={row}
              index={index}
              start={start}
              isSelected={row.port === null && selected.has(row.node.id)}
              isOpen={row.port === null && open.has(row.node.id)}
              isReached={index === focus.index}
            />
          )
        })}
      </div>
    </div>
  )
}
