import { useReactFlow } from '@xyflow/react'
import { useCallback } from 'react'
import { NODE_WIDTH } from './canvas/node-shape'
import { nodeOf } from './core/document'
import type { Editing } from './state/editing'

/** Selects a node and scrolls it into view; without animation if the user prefers reduced motion. */
export function useGoTo(editing: Editing): (id: string) => void {
  const flow = useReactFlow()
  return useCallback(
    (id) => {
      const node = nodeOf(editing.document, id)
      if (!node) return
      editing.select([id])
      const still = matchMedia('(prefers-reduced-motion: reduce)').matches
      const { x, y } = node.position
      void flow.setCenter(x + NODE_WIDTH / 2, y + 80, {
        zoom: Math.min(1, Math.max(0.6, flow.getZoom())),
        duration: still ? 0 : 200,
      })
    },
    [editing, flow],
  )
}
