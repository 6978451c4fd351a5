import { useMemo, useRef, useState } from 'react'
import {
  Button as AriaButton,
  ListLayout,
  Tree,
  TreeItem,
  TreeItemContent,
  Virtualizer,
} from 'react-aria-components'
import { Icon } from '../../components/icon'
import { Status } from '../../components/status'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { PortMark } from '../canvas/port-mark'
import { arriving, type Document, leaving, type Node, nodeOf } from '../core/document'
import { columnOrder } from '../core/layout'
import { type Ports, type PortView, portsOf } from '../core/ports'
import { NodeStatusMark } from '../node-status'
import { useEditing, useEditor, useNodeState } from '../state/context'
import styles from './outline.module.css'

type Side = 'input' | 'output'
/** Of more nodes only those in view are in the document. */
const MANY = 200
const NONE: ReadonlySet<string> = new Set()
const LAYOUT = { estimatedRowSize: 44 }

/** The workflow as a tree of nodes and their ports: everything that the drawing shows and does, without dragging. */
export function Outline() {
  const t = useText(text)
  const { editing, goTo, askConnect } = useEditor()
  const { history, nodes: selected } = useEditing()
  const { document } = history
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(NONE)
  const items = useItems(document, expanded)
  const act = (key: string) => {
    const [node = '', side, port] = JSON.parse(key) as [string, Side?, string?]
    if (side === undefined || port === undefined) goTo(node)
    else askConnect({ from: { node, port, side } })
  }
  const many = items.length > MANY
  if (items.length === 0) return <p className={styles.soft}>{t('canvas.empty')}</p>
  const tree = (
    <Tree
      aria-label={t('side.outline')}
      className={styles.tree ?? ''}
      data-many={many}
      items={items}
      selectionMode="multiple"
      selectionBehavior="replace"
      selectedKeys={[...selected].map(keyOf)}
      onSelectionChange={(keys) => {
        const chosen =
          keys === 'all'
            ? document.nodes.map(({ id }) => id)
            : [...keys].map((key) => JSON.parse(String(key))[0])
        editing.select(new Set(chosen))
      }}
      expandedKeys={expanded}
      onExpandedChange={(keys) => setExpanded(new Set([...keys].map(String)))}
      onAction={(key) => act(String(key))}
    >
      {(item) => <NodeItem {...item} />}
    </Tree>
  )
  return many ? (
    <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
      {tree}
    </Virtualizer>
  ) : (
    tree
  )
}

interface Item {
  readonly id: string
  readonly node: Node
  /** null while the node is closed: thousands of ports are not made for nobody. */
  readonly ports: Ports | null
}

const keyOf = (node: string): string => JSON.stringify([node])

/** What has not changed stays the same object, so that only what has is made again. */
function useItems(document: Document, expanded: ReadonlySet<string>): readonly Item[] {
  const { catalog } = useEditor()
  const before = useRef<ReadonlyMap<string, Item>>(new Map())
  const order = useMemo(() => columnOrder(document), [document])
  return useMemo(() => {
    const items = order.flatMap((name): Item[] => {
      const node = nodeOf(document, name)
      if (!node) return []
      const id = keyOf(name)
      const last = before.current.get(id)
      if (last?.node === node && last.ports === null && !expanded.has(id)) return [last]
      return [{ id, node, ports: expanded.has(id) ? portsOf(document, node, catalog) : null }]
    })
    before.current = new Map(items.map((item) => [item.id, item]))
    return items
  }, [document, order, expanded, catalog])
}

function NodeItem({ id, node, ports }: Item) {
  const t = useText(text)
  const { catalog } = useEditor()
  const title = catalog.get(node.type)?.title ?? t('unknown')
  return (
    <TreeItem id={id} hasChildItems textValue={`${title} ${node.id}`} className={styles.item ?? ''}>
      <TreeItemContent>
        <span className={styles.row}>
          <AriaButton slot="chevron" className={styles.chevron ?? ''}>
            <Icon name="right" />
          </AriaButton>
          <span className={styles.words}>
            <strong>{title}</strong>
            <span className={styles.soft}>{node.id}</span>
          </span>
          <State id={node.id} mode={node.mode} />
        </span>
      </TreeItemContent>
      {ports === null && <Closed id={id} />}
      {ports?.inputs.map((port) => portItem(node, port, 'input'))}
      {ports?.outputs.map((port) => portItem(node, port, 'output'))}
    </TreeItem>
  )
}

/** Never seen: a node without any child could not be opened by keyboard, and would not say that it can be. */
function Closed({ id }: { readonly id: string }) {
  return (
    <TreeItem id={`${id} closed`} textValue={id}>
      <TreeItemContent>{id}</TreeItemContent>
    </TreeItem>
  )
}

function State({ id, mode }: { readonly id: string; readonly mode: Node['mode'] }) {
  const t = useText(text)
  const state = useNodeState(id)
  if (mode) return <Status tone="neutral">{t(`mode.${mode}`)}</Status>
  return state ? <NodeStatusMark status={state.status} /> : null
}

function portItem(node: Node, port: PortView, side: Side) {
  const id = JSON.stringify([node.id, side, port.name])
  return (
    <TreeItem key={id} id={id} textValue={port.title} className={styles.item ?? ''}>
      <TreeItemContent>
        <PortRow node={node.id} port={port} side={side} />
      </TreeItemContent>
    </TreeItem>
  )
}

function PortRow({
  node,
  port,
  side,
}: {
  readonly node: string
  readonly port: PortView
  readonly side: Side
}) {
  const t = useText(text)
  const { document } = useEditing().history
  const others =
    side === 'input'
      ? arriving(document, node, port.name).map((wire) => `${wire.source}.${wire.source_port}`)
      : leaving(document, node, port.name).map((wire) => `${wire.target}.${wire.target_port}`)
  const open =
    side === 'input' && !port.optional ? `${t('port.open')}, ${t('port.required')}` : t('port.open')
  return (
    <span className={styles.port}>
      <PortMark type={port.type} />
      <span className={styles.words}>
        <span>
          {port.title}{' '}
          <span className={styles.soft}>{t(port.type === null ? 'type.unknown' : `type.${port.type}`)}</span>
        </span>
        <span className={styles.soft}>
          {others.length === 0
            ? open
            : others.map((other) => t(side === 'input' ? 'port.from' : 'port.to', { other })).join(', ')}
        </span>
      </span>
    </span>
  )
}
