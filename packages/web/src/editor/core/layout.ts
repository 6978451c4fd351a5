import { NODE_GAP } from '@medloom/contracts/plain'
import type { Document } from './document'
import type { Point } from './edits'

/** Number of sweeps over the columns; further sweeps hardly change the order. */
const SWEEPS = 6

export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Positions of all nodes in columns: every node is to the right of its upstream nodes, and within a column near its neighbors, so that few
 * wires cross. Each sweep is linear in nodes and wires: thousands of nodes take milliseconds and need no worker.
 */
export function layout(document: Document, sizeOf: (id: string) => Size): ReadonlyMap<string, Point> {
  const { columns, before, after } = columnsAndNeighbors(document)
  sortColumns(columns, before, after)
  return positionsOf(columns, sizeOf)
}

function columnsAndNeighbors(document: Document) {
  const wires = document.connections.filter(({ source, target }) => source !== target)
  const before = neighbors(wires, 'target', 'source')
  const after = neighbors(wires, 'source', 'target')
  return { columns: columnsOf(document, before, after), before, after }
}

/** All nodes in topological order. */
export function columnOrder(document: Document): readonly string[] {
  const { columns } = columnsAndNeighbors(document)
  return columns.flat()
}

type Neighbors = ReadonlyMap<string, readonly string[]>

function neighbors(wires: Document['connections'], from: 'source' | 'target', to: 'source' | 'target') {
  const map = new Map<string, string[]>()
  for (const wire of wires) {
    const list = map.get(wire[from])
    if (list) list.push(wire[to])
    else map.set(wire[from], [wire[to]])
  }
  return map
}

/** Columns by the longest path from a source (Kahn); nodes on a cycle come after the others. */
function columnsOf({ nodes }: Document, before: Neighbors, after: Neighbors): string[][] {
  const incomingCounts = new Map(nodes.map(({ id }) => [id, before.get(id)?.length ?? 0]))
  const depth = new Map<string, number>()
  const ready = nodes.filter(({ id }) => incomingCounts.get(id) === 0).map(({ id }) => id)
  for (const id of ready) {
    const own = depth.get(id) ?? 0
    depth.set(id, own)
    for (const next of after.get(id) ?? []) {
      const remaining = (incomingCounts.get(next) ?? 0) - 1
      incomingCounts.set(next, remaining)
      depth.set(next, Math.max(depth.get(next) ?? 0, own + 1))
      if (remaining === 0) ready.push(next)
    }
  }
  moveTowardsTargets(ready, depth, after)
  const columns: string[][] = []
  for (const { id } of nodes) {
    const index = depth.get(id) ?? 0
    while (columns.length <= index) columns.push([])
    columns[index]?.push(id)
  }
  return columns.filter((column) => column.length > 0)
}

/** A node that feeds only a distant node is placed next to it, not at the far left. */
function moveTowardsTargets(order: readonly string[], depth: Map<string, number>, after: Neighbors): void {
  for (const id of [...order].reverse()) {
    const targets = after.get(id) ?? []
    if (targets.length === 0) continue
    let nearest = Number.POSITIVE_INFINITY
    for (const target of targets) nearest = Math.min(nearest, depth.get(target) ?? 0)
    depth.set(id, Math.max(depth.get(id) ?? 0, nearest - 1))
  }
}

/** Sorts each column by the mean position of its neighbors, from left to right and back. */
function sortColumns(columns: string[][], before: Neighbors, after: Neighbors): void {
  const rank = new Map<string, number>()
  const recordPositions = (column: readonly string[]) => {
    column.forEach((id, index) => {
      rank.set(id, index / column.length)
    })
  }
  columns.forEach(recordPositions)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forward = sweep % 2 === 0
    const neighbors = forward ? before : after
    for (const column of forward ? columns : [...columns].reverse()) {
      const mean = new Map(
        column.map((id) => [id, meanPosition(neighbors.get(id) ?? [], rank, rank.get(id))]),
      )
      column.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0))
      recordPositions(column)
    }
  }
}

function meanPosition(ids: readonly string[], rank: ReadonlyMap<string, number>, own = 0): number {
  if (ids.length === 0) return own
  return ids.reduce((sum, id) => sum + (rank.get(id) ?? 0), 0) / ids.length
}

function positionsOf(columns: readonly string[][], sizeOf: (id: string) => Size): Map<string, Point> {
  const positions = new Map<string, Point>()
  const heights = columns.map((column) =>
    column.reduce((sum, id) => sum + sizeOf(id).height + NODE_GAP.rows, -NODE_GAP.rows),
  )
  const tallest = heights.reduce((most, height) => Math.max(most, height), 0)
  let x = 0
  columns.forEach((column, index) => {
    let y = Math.round((tallest - (heights[index] ?? 0)) / 2)
    let widest = 0
    for (const id of column) {
      const { width, height } = sizeOf(id)
      positions.set(id, { x, y })
      y += height + NODE_GAP.rows
      widest = Math.max(widest, width)
    }
    x += widest + NODE_GAP.columns
  })
  return positions
}
