import { useReactFlow, ViewportPortal } from '@xyflow/react'
import { type PointerEvent, useState } from 'react'
import { frameOf, NOTE_SIZE, setAnnotation } from '../core/annotations'
import type { Document } from '../core/document'
import type { Point } from '../core/edits'
import type { Catalog } from '../core/ports'
import type { EditSession } from '../state/edit-session'
import styles from './annotations.module.css'
import { sizesOf } from './node-geometry'

interface AnnotationsProps {
  readonly document: Document
  readonly catalog: Catalog
  /** null: notes cannot be moved. */
  readonly session?: EditSession | null
}

/** Groups behind the nodes, and notes. Their text is edited in the workflow panel. */
export function Annotations({ document, catalog, session = null }: AnnotationsProps) {
  const { groups = [], notes = [] } = document
  if (groups.length + notes.length === 0) return null
  const sizeOf = sizesOf(document, catalog)
  return (
    <ViewportPortal>
      {groups.map((group) => {
        const frame = frameOf(document, group, sizeOf)
        if (!frame) return null
        const { x, y, width, height } = frame
        return (
          <section
            key={group.id}
            className={styles.group}
            data-color={group.color ?? 'grey'}
            style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
          >
            <h3 dir="auto">{group.title}</h3>
          </section>
        )
      })}
      {notes.map((note) => (
        <Note key={note.id} note={note} session={session} />
      ))}
    </ViewportPortal>
  )
}

function Note({
  note: { id, text, position, size, color },
  session,
}: {
  readonly note: NonNullable<Document['notes']>[number]
  readonly session: EditSession | null
}) {
  const flow = useReactFlow()
  const [dragged, setDragged] = useState<Point | null>(null)
  const [grip, setGrip] = useState<Point | null>(null)
  const shown = dragged ?? position
  const { width, height } = size ?? NOTE_SIZE
  const flowPosition = ({ clientX: x, clientY: y }: PointerEvent) => flow.screenToFlowPosition({ x, y })
  const onPointerDown = (event: PointerEvent) => {
    if (!session || event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const { x, y } = flowPosition(event)
    setGrip({ x: x - position.x, y: y - position.y })
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!grip) return
    const { x, y } = flowPosition(event)
    setDragged({ x: Math.round(x - grip.x), y: Math.round(y - grip.y) })
  }
  const onPointerUp = () => {
    if (dragged) session?.perform(setAnnotation('notes', id, 'position', { ...position, ...dragged }))
    setDragged(null)
    setGrip(null)
  }
  return (
    <aside
      className={`${styles.note} nopan nodrag`}
      data-color={color ?? 'yellow'}
      style={{ transform: `translate(${shown.x}px, ${shown.y}px)`, width, minHeight: height }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      dir="auto"
    >
      {text}
    </aside>
  )
}
