import { useReactFlow } from '@xyflow/react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Point } from '../core/edits'
import { boxAt, type Scene } from './overview-scene'

/** A shorter movement counts as a click. */
const MIN_PIXELS = 4

/** The pane under the canvas, on which React Flow listens. The canvas itself receives no events. */
export const paneOf = (canvas: HTMLCanvasElement | null): HTMLElement | null =>
  canvas?.closest('.react-flow')?.querySelector<HTMLElement>('.react-flow__pane') ?? null

/**
 * Dragging in the overview: all selected nodes move together with the one under the pointer. A press elsewhere pans the view.
 * @param onDrop absent: nodes cannot be moved
 * @returns distance of the drag; null: nothing is dragged
 */
export function useDragging(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  scene: Scene,
  onDrop: ((by: Point) => void) | undefined,
): Point | null {
  const flow = useReactFlow()
  const [offset, setOffset] = useState<Point | null>(null)
  const latest = useRef({ scene, onDrop })
  useLayoutEffect(() => {
    latest.current = { scene, onDrop }
  })
  useEffect(() => {
    const pane = paneOf(canvas.current)
    if (!pane) return
    const controller = new AbortController()
    const { signal } = controller
    let from: MouseEvent | null = null
    let by: Point | null = null
    const flowPosition = ({ clientX, clientY }: MouseEvent) =>
      flow.screenToFlowPosition({ x: clientX, y: clientY })
    const onDown = (event: PointerEvent) => {
      const plain = event.button === 0 && !event.shiftKey && !event.metaKey && !event.ctrlKey
      from =
        plain && latest.current.onDrop && boxAt(latest.current.scene, flowPosition(event))?.selected
          ? event
          : null
      by = null
    }
    const onMove = (event: PointerEvent) => {
      if (!from) return
      const distance = Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY)
      if (!by && distance < MIN_PIXELS) return
      const [start, end] = [flowPosition(from), flowPosition(event)]
      by = { x: end.x - start.x, y: end.y - start.y }
      setOffset(by)
    }
    const onUp = ({ type }: PointerEvent) => {
      if (by && type === 'pointerup') latest.current.onDrop?.(by)
      from = null
      setOffset(null)
    }
    // A press on a node does not pan, and does not select if the node has moved.
    const stopPropagation = (event: Event) => from && event.stopPropagation()
    const onClick = (event: Event) => {
      if (by) event.stopImmediatePropagation()
      by = null
    }
    pane.addEventListener('pointerdown', onDown, { signal, capture: true })
    for (const type of ['mousedown', 'touchstart']) pane.addEventListener(type, stopPropagation, { signal })
    pane.addEventListener('click', onClick, { signal, capture: true })
    addEventListener('pointermove', onMove, { signal })
    for (const type of ['pointerup', 'pointercancel'] as const) addEventListener(type, onUp, { signal })
    return () => controller.abort()
  }, [canvas, flow])
  return offset
}
