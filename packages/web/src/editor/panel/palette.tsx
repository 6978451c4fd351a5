import type { NodeRecord } from '@medloom/contracts'
import { useState } from 'react'
import { Button } from '../../components/button'
import { SearchField } from '../../components/field'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { NODE_WIDTH } from '../canvas/node-geometry'
import { PortIcon } from '../canvas/port-icon'
import { addNode, type Point } from '../core/edits'
import { useEditor } from '../state/context'
import { CustomNodeProblems } from './custom-node-problems'
import styles from './palette.module.css'

/** All nodes by group. A click adds one next to the selected node. */
export function Palette() {
  const t = useText(text)
  const { catalog } = useEditor()
  const [searchTerm, setSearchTerm] = useState('')
  const [announcement, setAnnouncement] = useState('')
  const found = [...catalog.values()].filter((record) => matches(record, searchTerm))
  const groups = [...new Set(found.map(({ group }) => group))]
  return (
    <div className={styles.palette}>
      <SearchField label={t('palette.search')} value={searchTerm} onChange={setSearchTerm} />
      {found.length === 0 && <p className={styles.none}>{t('palette.none')}</p>}
      {groups.map((group) => (
        <section key={group} aria-label={t(`group.${group}`)} className={styles.group}>
          <h3>{t(`group.${group}`)}</h3>
          <ul>
            {found
              .filter((record) => record.group === group)
              .map((record) => (
                <li key={record.type}>
                  <Entry record={record} onAdded={setAnnouncement} />
                </li>
              ))}
          </ul>
        </section>
      ))}
      <CustomNodeProblems />
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
    </div>
  )
}

function Entry({
  record,
  onAdded,
}: {
  readonly record: NodeRecord
  readonly onAdded: (announcement: string) => void
}) {
  const t = useText(text)
  const { session, goTo } = useEditor()
  const { type, title, summary, outputs, source } = record
  const add = () => {
    const { edit, id } = addNode(
      session.document,
      type,
      freePosition(session.document.nodes, session.state().nodes),
    )
    session.perform(edit)
    goTo(id)
    onAdded(t('palette.added', { title, id }))
  }
  return (
    <div className={styles.entry} title={summary}>
      <Button kind="quiet" onPress={add}>
        <span className={styles.words}>
          {outputs[0] ? <PortIcon type={outputs[0].type} /> : <PortIcon type="path" />}
          {title}
          {source && <span className={styles.own}>{t('custom.own', { file: source.file })}</span>}
        </span>
      </Button>
    </div>
  )
}

/** Free position to the right of the selected node, or of the last node; below nodes that are already there. */
export function freePosition(
  nodes: readonly { readonly id: string; readonly position: Point }[],
  selected: ReadonlySet<string>,
): Point {
  const neighbor = nodes.filter(({ id }) => selected.has(id)).at(-1) ?? nodes.at(-1)
  if (!neighbor) return { x: 0, y: 0 }
  const position = { x: neighbor.position.x + NODE_WIDTH + 90, y: neighbor.position.y }
  const isOccupied = (y: number) =>
    nodes.some(
      ({ position }) => Math.abs(position.x - position.x) < NODE_WIDTH && Math.abs(position.y - y) < 190,
    )
  while (isOccupied(position.y)) position.y += 200
  return position
}

function matches({ title, summary, type }: NodeRecord, searchTerm: string): boolean {
  const words = `${title} ${summary} ${type}`.toLowerCase()
  return searchTerm
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word))
}
