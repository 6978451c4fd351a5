import type { MARK_COLORS, NodeMode, WorkflowGroup, WorkflowNote } from '@medloom/contracts'
import type { SizeOf } from './align'
import { type Document, freeId, idsOf } from './document'
import type { Edit, Point } from './edits'
import type { Size } from './layout'

/** Annotations for people: groups, notes and colors. In addition, the mode of a node, which decides whether it runs. */
export type MarkColor = (typeof MARK_COLORS)[number]
type AnnotationList = 'groups' | 'notes'

export const NOTE_SIZE: Size = { width: 220, height: 120 }
const MARGIN = 18
const TITLE = 28

/** undefined: the nodes run again. */
export function setMode(document: Document, ids: ReadonlySet<string>, mode: NodeMode | undefined): Edit {
  return setOnNodes(document, ids, 'mode', mode)
}

export function colorNodes(document: Document, ids: ReadonlySet<string>, color: MarkColor | undefined): Edit {
  return setOnNodes(document, ids, 'color', color)
}

function setOnNodes(
  document: Document,
  ids: ReadonlySet<string>,
  key: 'mode' | 'color',
  value: unknown,
): Edit {
  return document.nodes
    .filter((node) => ids.has(node.id) && node[key] !== value)
    .map(({ id }) => ({ kind: 'set', target: { list: 'nodes', id }, path: [key], value }))
}

/** Adds a group of nodes; a node that is in another group stays there too. */
export function addGroup(document: Document, ids: ReadonlySet<string>, title: string): Edit {
  const groups = document.groups ?? []
  const nodes = document.nodes.filter(({ id }) => ids.has(id)).map(({ id }) => id)
  if (nodes.length === 0) return []
  const item: WorkflowGroup = { id: freeId('group-1', idsOf(groups)), title, nodes }
  return [{ kind: 'insert', list: 'groups', items: [{ index: groups.length, item }] }]
}

export function addNote(document: Document, text: string, position: Point): Edit {
  const notes = document.notes ?? []
  const rounded = { x: Math.round(position.x), y: Math.round(position.y) }
  const item: WorkflowNote = { id: freeId('note-1', idsOf(notes)), text, position: rounded }
  return [{ kind: 'insert', list: 'notes', items: [{ index: notes.length, item }] }]
}

export function setAnnotation(list: AnnotationList, id: string, key: string, value: unknown): Edit {
  return [{ kind: 'set', target: { list, id }, path: [key], value }]
}

export function removeAnnotation(list: AnnotationList, id: string): Edit {
  return [{ kind: 'remove', list, ids: new Set([id]) }]
}

/** Frame of a group around its existing nodes; null: none exist. */
export function frameOf(document: Document, { nodes }: WorkflowGroup, sizeOf: SizeOf): (Point & Size) | null {
  const members = new Set(nodes)
  const boxes = document.nodes.filter(({ id }) => members.has(id))
  if (boxes.length === 0) return null
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { id, position } of boxes) {
    const { width, height } = sizeOf(id)
    left = Math.min(left, position.x)
    top = Math.min(top, position.y)
    right = Math.max(right, position.x + width)
    bottom = Math.max(bottom, position.y + height)
  }
  const [x, y] = [left - MARGIN, top - MARGIN - TITLE]
  return { x, y, width: right + MARGIN - x, height: bottom + MARGIN - y }
}
