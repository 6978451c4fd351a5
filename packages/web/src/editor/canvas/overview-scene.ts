import type { Edge } from '@xyflow/react'
import type { Point } from '../core/edits'
import type { FlowNode } from './flow-nodes'

/** A workflow as rectangles and lines in canvas coordinates. */
export interface Scene {
  readonly boxes: readonly Box[]
  readonly wires: readonly Wire[]
}
export interface Rectangle extends Point {
  readonly width: number
  readonly height: number
}
export interface Box extends Rectangle {
  readonly id: string
  readonly name: string
  readonly selected: boolean
  readonly failing: boolean
}
export interface Wire {
  readonly from: Point
  readonly to: Point
  readonly selected: boolean
}

export function sceneOf(nodes: readonly FlowNode[], edges: readonly Edge[]): Scene {
  const known = new Map(nodes.map((node) => [node.id, node]))
  return {
    boxes: nodes.map((node) => ({
      id: node.id,
      name: node.data.title ?? node.data.node.type,
      x: node.position.x,
      y: node.position.y,
      width: node.width ?? 0,
      height: node.height ?? 0,
      selected: node.selected === true,
      failing: node.data.errors > 0,
    })),
    wires: edges.flatMap(({ source, sourceHandle, target, targetHandle, selected }) => {
      const [start, end] = [known.get(source), known.get(target)]
      if (!start || !end) return []
      const from = portOf(start, sourceHandle, 'source')
      return [{ from, to: portOf(end, targetHandle, 'target'), selected: selected === true }]
    }),
  }
}

/** The nodes with the selected ones moved by the current drag distance. */
export function withSelectedMoved(nodes: readonly FlowNode[], by: Point): readonly FlowNode[] {
  return nodes.map((node) =>
    node.selected ? { ...node, position: { x: node.position.x + by.x, y: node.position.y + by.y } } : node,
  )
}

function portOf(
  { position, handles = [] }: FlowNode,
  port: string | null | undefined,
  type: 'source' | 'target',
): Point {
  const found = handles.find((handle) => handle.type === type && handle.id === port)
  const [width, height] = [found?.width ?? 0, found?.height ?? 0]
  return { x: position.x + (found?.x ?? 0) + width / 2, y: position.y + (found?.y ?? 0) + height / 2 }
}

/** Topmost node at a point. */
export function boxAt({ boxes }: Scene, { x, y }: Point): Box | undefined {
  return boxes.findLast(
    (box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height,
  )
}

/** Nodes that lie completely within an area. */
export function boxesIn({ boxes }: Scene, area: Rectangle): readonly Box[] {
  return boxes.filter(
    ({ x, y, width, height }) =>
      x >= area.x && y >= area.y && x + width <= area.x + area.width && y + height <= area.y + area.height,
  )
}
