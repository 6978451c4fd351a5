import { NODE_SIZE, nodeSize } from '@medloom/contracts/plain'
import { type NodeHandle, Position } from '@xyflow/react'
import type { SizeOf } from '../core/align'
import { type Document, nodeOf } from '../core/document'
import { type Catalog, type Ports, portsOf } from '../core/ports'

export const NODE_WIDTH = NODE_SIZE.width
const { head: HEAD, row: ROW } = NODE_SIZE
const MARK = 20

/** Sizes of the nodes of a document, by id. */
export function sizesOf(document: Document, catalog: Catalog): SizeOf {
  return (id) => {
    const node = nodeOf(document, id)
    return nodeSize(node ? portsOf(document, node, catalog) : { inputs: [], outputs: [] })
  }
}

/** Positions at which wires start and end. */
export function handlesOf({ inputs, outputs }: Ports): NodeHandle[] {
  const offset = (index: number) => HEAD + index * ROW + ROW / 2 - MARK / 2
  return [
    ...inputs.map(({ name }, index) => ({
      id: name,
      type: 'target' as const,
      position: Position.Left,
      x: -MARK / 2,
      y: offset(index),
      width: MARK,
      height: MARK,
    })),
    ...outputs.map(({ name }, index) => ({
      id: name,
      type: 'source' as const,
      position: Position.Right,
      x: NODE_WIDTH - MARK / 2,
      y: offset(index),
      width: MARK,
      height: MARK,
    })),
  ]
}

export const topOf = (index: number): number => HEAD + index * ROW + ROW / 2
