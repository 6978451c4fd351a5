import type { NodeRecord } from '@medloom/contracts'
import { useState } from 'react'
import { Button } from '../../components/button'
import { SearchField } from '../../components/field'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { NODE_WIDTH } from '../canvas/node-shape'
import { PortMark } from '../canvas/port-mark'
import { addNode, type Point } from '../core/edits'
import { useEditor } from '../state/context'
import { CustomProblems } from './custom-problems'
import styles from './palette.module.css'

/** All nodes by group. A click adds one next to the selected node. */
export function Palette() {
  const t = useText(text)
  const { catalog } = useEditor()
  const [searched, setSearched] = useState('')
  const [said, setSaid] = useState('')
  const found = [...catalog.values()].filter((record) => matches(record, searched))
  const groups = [...new Set(found.map(({ group }) => group))]
  return (
    <div className={styles.palette}>
      <SearchField label={t('palette.search')} value={searched} onChange={setSearched} />
      {found.length === 0 && <p className={styles.none}>{t('palette.none')}</p>}
      {groups.map((group) => (
        <section key={group} aria-label={t(`group.${group}`)} className={styles.group}>
          <h3>{t(`group.${group}`)}</h3>
          <ul>
            {found
              .filter((record) => record.group === group)
              .map((record) => (
                <li key={record.type}>
                  <Entry record={record} onAdded={setSaid} />
                </li>
              ))}
          </ul>
        </section>
      ))}
      <CustomProblems />
      <p role="status" className="visually-hidden">
        {said}
      </p>
    </div>
  )
}

function Entry({
  record,
  onAdded,
}: {
  readonly record: NodeRecord
  readonly onAdded: (said: string) => void
}) {
  const t = useText(text)
  const { editing, goTo } = useEditor()
  const { type, title, summary, outputs, source } = record
  const add = () => {
    const { edit, id } = addNode(
      editing.document,
      type,
      freePlace(editing.document.nodes, editing.state().nodes),
    )
    editing.perform(edit)
    goTo(id)
    onAdded(t('palette.added', { title, id }))
  }
  return (
    <div className={styles.entry} title={summary}>
      <Button kind="quiet" onPress={add}>
        <span className={styles.words}>
          {outputs[0] ? <PortMark type={outputs[0].type} /> : <PortMark type="path" />}
          {title}
          {source && <span className={styles.own}>{t('custom.own', { file: source.file })}</span>}
        </span>
      </Button>
    </div>
  )
}

/** Free position to the right of the selected node, or of the last node; below nodes that are already there. */
export function freePlace(
  nodes: readonly { readonly id: string; readonly position: Point }[],
  selected: ReadonlySet<string>,
): Point {
  const beside = nodes.filter(({ id }) => selected.has(id)).at(-1) ?? nodes.at(-1)
  if (!beside) return { x: 0, y: 0 }
  const place = { x: beside.position.x + NODE_WIDTH + 90, y: beside.position.y }
  const taken = (y: number) =>
    nodes.some(
      ({ position }) => Math.abs(position.x - place.x) < NODE_WIDTH && Math.abs(position.y - y) < 190,
    )
  while (taken(place.y)) place.y += 200
  return place
}

function matches({ title, summary, type }: NodeRecord, searched: string): boolean {
  const words = `${title} ${summary} ${type}`.toLowerCase()
  return searched
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word))
}
