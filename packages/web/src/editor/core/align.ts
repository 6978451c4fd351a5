import { type Document, idsOf } from './document'
import { type Edit, moveNodes, type Point } from './edits'
import { layout, type Size } from './layout'

/** Alignment of nodes by their start, middle or end, horizontally or vertically. */
export const ALIGNMENTS = ['left', 'center', 'right', 'top', 'middle', 'bottom'] as const
export type Alignment = (typeof ALIGNMENTS)[number]

export type SizeOf = (id: string) => Size
type Axis = 'x' | 'y'

const SHARES = {
  left: ['x', 0],
  center: ['x', 0.5],
  right: ['x', 1],
  top: ['y', 0],
  middle: ['y', 0.5],
  bottom: ['y', 1],
} as const satisfies Record<Alignment, readonly [Axis, number]>

/** Aligns nodes within the space that they occupy together. */
export function align(document: Document, ids: ReadonlySet<string>, to: Alignment, sizeOf: SizeOf): Edit {
  const [axis, share] = SHARES[to]
  const boxes = boxesOf(document, ids, sizeOf)
  if (boxes.length < 2) return []
  const [from, until] = extent(boxes, axis)
  const line = from + (until - from) * share
  return moveBoxes(document, boxes, axis, (box) => line - lengthOf(box, axis) * share)
}

/** Distributes nodes with equal gaps; the first and the last keep their positions. */
export function distribute(document: Document, ids: ReadonlySet<string>, axis: Axis, sizeOf: SizeOf): Edit {
  const boxes = boxesOf(document, ids, sizeOf).sort((a, b) => a.position[axis] - b.position[axis])
  if (boxes.length < 3) return []
  const [from, until] = extent(boxes, axis)
  const occupied = boxes.reduce((sum, box) => sum + lengthOf(box, axis), 0)
  const gap = (until - from - occupied) / (boxes.length - 1)
  const positions = new Map<Box, number>()
  let next = from
  for (const box of boxes) {
    positions.set(box, next)
    next += lengthOf(box, axis) + gap
  }
  return moveBoxes(document, boxes, axis, (box) => positions.get(box) ?? box.position[axis])
}

/** Automatic layout of some nodes at their current place; the others keep their positions. */
export function arrange(document: Document, ids: ReadonlySet<string>, sizeOf: SizeOf): Edit {
  const boxes = boxesOf(document, ids, sizeOf)
  const chosen = new Set(boxes.map(({ id }) => id))
  const part = {
    ...document,
    nodes: document.nodes.filter(({ id }) => chosen.has(id)),
    connections: document.connections.filter(
      ({ source, target }) => chosen.has(source) && chosen.has(target),
    ),
  }
  const isWhole = chosen.size === idsOf(document.nodes).size
  const corner = isWhole ? { x: 0, y: 0 } : { x: extent(boxes, 'x')[0], y: extent(boxes, 'y')[0] }
  const positions = [...layout(part, sizeOf)].map(
    ([id, { x, y }]) => [id, { x: x + corner.x, y: y + corner.y }] as const,
  )
  return moveNodes(document, new Map(positions))
}

/** Moves nodes by one step of the arrow keys. */
export function nudge(document: Document, ids: ReadonlySet<string>, by: Point): Edit {
  const positions = document.nodes
    .filter(({ id }) => ids.has(id))
    .map(({ id, position }) => [id, { x: position.x + by.x, y: position.y + by.y }] as const)
  return moveNodes(document, new Map(positions))
}

interface Box {
  readonly id: string
  readonly position: Point
  readonly size: Size
}

function boxesOf(document: Document, ids: ReadonlySet<string>, sizeOf: SizeOf): Box[] {
  return document.nodes
    .filter(({ id }) => ids.has(id))
    .map(({ id, position }) => ({ id, position, size: sizeOf(id) }))
}

const lengthOf = ({ size }: Box, axis: Axis): number => (axis === 'x' ? size.width : size.height)

function extent(boxes: readonly Box[], axis: Axis): readonly [from: number, until: number] {
  return boxes.reduce<readonly [number, number]>(
    ([from, until], box) => [
      Math.min(from, box.position[axis]),
      Math.max(until, box.position[axis] + lengthOf(box, axis)),
    ],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
}

function moveBoxes(document: Document, boxes: readonly Box[], axis: Axis, to: (box: Box) => number): Edit {
  return moveNodes(document, new Map(boxes.map((box) => [box.id, { ...box.position, [axis]: to(box) }])))
}
