import { nodeSize } from '@medloom/contracts/plain'
import { type ReactFlowProps, useReactFlow, useStore } from '@xyflow/react'
import { useCallback, useMemo } from 'react'
import type { Document } from '../core/document'
import { type Catalog, portsOf } from '../core/ports'
import type { FlowNode } from './flow-nodes'
import { areOverlapping, COARSE_ZOOM, fullestTile, OVERVIEW_ZOOM, overviewZoom } from './overview-zoom'

/** Up to this number, nodes are cards at every zoom: no more cards than are visible at once elsewhere. */
const FEW = 100
const MIN_ZOOM = { few: 0.05, many: 0.005 } as const

const areFew = (count: number): boolean => count <= FEW

/** isOverview: the overview paints the workflow, and React Flow draws no nodes. overlapping: the nodes overlap, so this holds at every zoom. */
export function useOverview(document: Document): {
  readonly isOverview: boolean
  readonly overlapping: boolean
} {
  const fullest = useMemo(() => fullestTile(document), [document])
  const far = useStore(({ transform, width, height }) => transform[2] < overviewZoom(fullest, width, height))
  return { isOverview: far && !areFew(document.nodes.length), overlapping: areOverlapping(fullest) }
}

/** Reports whether text is too small to be read; a canvas with many nodes then shows only their names, in larger letters. */
export function useCoarse(count: number): boolean {
  const coarse = useStore(({ transform }) => transform[2] < COARSE_ZOOM)
  return coarse && !areFew(count)
}

/** Initial view: the whole workflow. Many nodes start as an overview, so that no card is created for it. */
export function initialView(count: number): Partial<ReactFlowProps<FlowNode>> {
  const minZoom = areFew(count) ? MIN_ZOOM.few : MIN_ZOOM.many
  return areFew(count)
    ? { minZoom, fitView: true, fitViewOptions: { minZoom, maxZoom: 1 } }
    : { minZoom, defaultViewport: { x: 0, y: 0, zoom: OVERVIEW_ZOOM / 2 } }
}

/** Fits all nodes into the view. React Flow does not know the nodes of an overview. */
export function useFit(catalog: Catalog): (document: Document) => void {
  const flow = useReactFlow()
  return useCallback(
    (document) => {
      if (areFew(document.nodes.length)) void flow.fitView({ maxZoom: 1 })
      else void flow.fitBounds(boundsOf(document, catalog), { padding: 0.05 })
    },
    [flow, catalog],
  )
}

function boundsOf(document: Document, catalog: Catalog) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const node of document.nodes) {
    const { x, y } = node.position
    const { width, height } = nodeSize(portsOf(document, node, catalog))
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}
