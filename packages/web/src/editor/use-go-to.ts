import { useReactFlow } from '@xyflow/react'
import { useCallback } from 'react'
import { REVEAL_NODE_MILLISECONDS } from '../durations'
import { NODE_WIDTH } from './canvas/node-geometry'
import { nodeOf } from './core/document'
import type { EditSession } from './state/edit-session'

/** Selects a node and scrolls it into view; without animation if the user prefers reduced motion. */
export function useGoTo(session: EditSession): (id: string) => void {
  const flow = useReactFlow()
  return useCallback(
    (id) => {
      const node = nodeOf(session.document, id)
      if (!node) return
      session.select([id])
      const reducesMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
      const { x, y } = node.position
      void flow.setCenter(x + NODE_WIDTH / 2, y + 80, {
        zoom: Math.min(1, Math.max(0.6, flow.getZoom())),
        duration: reducesMotion ? 0 : REVEAL_NODE_MILLISECONDS,
      })
    },
    [session, flow],
  )
}
