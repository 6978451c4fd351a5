import { memo, type Ref, useId } from 'react'
import { Icon } from '../../components/icon'
import { Status } from '../../components/status'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { PortIcon } from '../canvas/port-icon'
import type { Node } from '../core/document'
import { LatestStatusBadge } from '../node-status'
import { useEditor, useEditState, useNodeState } from '../state/context'
import styles from './outline.module.css'
import { connectedPorts, type Row } from './rows'

interface RowProps {
  readonly ref: Ref<HTMLDivElement>
  readonly row: Row
  readonly index: number
  /** Top offset in the list, in pixels; null: after the previous row. */
  readonly start: number | null
  readonly isSelected: boolean
  readonly isOpen: boolean
  /** The row that Tab reaches. */
  readonly isReached: boolean
}

const OPENER = 'opener'
/** Reports whether a click on this element expands or collapses a node. */
export const isOpener = (target: EventTarget): boolean =>
  target instanceof Element && target.closest(`[data-part="${OPENER}"]`) !== null

/** The tree handles the events of its rows. */
export const OutlineRow = memo(function OutlineRow(props: RowProps) {
  const { ref, row, index, start, isSelected, isOpen, isReached } = props
  const name = useId()
  const isNode = row.port === null
  return (
    // biome-ignore lint/a11y/useSemanticElements: table rows cannot be positioned where they are in view
    <div
      ref={ref}
      role="row"
      tabIndex={isReached ? 0 : -1}
      data-key={row.key}
      data-index={index}
      data-level={isNode ? 1 : 2}
      data-selected={isSelected || undefined}
      data-expanded={(isNode && isOpen) || undefined}
      aria-labelledby={name}
      aria-level={isNode ? 1 : 2}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      aria-expanded={isNode ? isOpen : undefined}
      className={styles.item}
      style={start === null ? undefined : { transform: `translateY(${start}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: cell of a positioned row */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus is on the rows */}
      <div role="gridcell">
        {row.port ? (
          <span id={name} className={styles.port}>
            <PortWords node={row.node.id} port={row.port} />
          </span>
        ) : (
          <span className={styles.row}>
            {/* Only for the mouse: with the keyboard, the row itself expands and reports its state. */}
            <span aria-hidden data-part={OPENER} className={styles.chevron}>
              <Icon name="right" />
            </span>
            <span id={name} className={styles.name}>
              <NodeWords node={row.node} />
            </span>
          </span>
        )}
      </div>
    </div>
  )
})

function NodeWords({ node: { id, type, mode } }: { readonly node: Node }) {
  const t = useText(text)
  const { catalog } = useEditor()
  return (
    <>
      <span className={styles.words}>
        <strong>{catalog.get(type)?.title ?? t('unknown')}</strong> <span className={styles.soft}>{id}</span>
      </span>{' '}
      <State id={id} mode={mode} />
    </>
  )
}

function State({ id, mode }: { readonly id: string; readonly mode: Node['mode'] }) {
  const t = useText(text)
  const state = useNodeState(id)
  if (mode) return <Status tone="neutral">{t(`mode.${mode}`)}</Status>
  return state ? <LatestStatusBadge id={id} status={state.status} /> : null
}

function PortWords({
  node,
  port: { side, view: port },
}: {
  readonly node: string
  readonly port: NonNullable<Row['port']>
}) {
  const t = useText(text)
  const { document } = useEditState().history
  const others = connectedPorts(document, node, side, port.name)
  const open =
    side === 'input' && !port.optional ? `${t('port.open')}, ${t('port.required')}` : t('port.open')
  return (
    <>
      <PortIcon type={port.type} />
      <span className={styles.words}>
        <span>
          {port.title}{' '}
          <span className={styles.soft}>{t(port.type === null ? 'type.unknown' : `type.${port.type}`)}</span>
        </span>{' '}
        <span className={styles.soft}>
          {others.length === 0
            ? open
            : others.map((other) => t(side === 'input' ? 'port.from' : 'port.to', { other })).join(', ')}
        </span>
      </span>
    </>
  )
}
