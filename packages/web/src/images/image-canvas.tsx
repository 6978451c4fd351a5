import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import styles from './image-canvas.module.css'
import { useElementSize } from './use-element-size'
import { FITTED, imageRectangle, panViewport, type Viewport, zoomViewport } from './viewport'

const STEP = 1.25
const PAN_PIXELS = 40

/** Actions of the buttons next to the canvas. */
export interface CanvasControls {
  readonly zoom: (factor: number) => void
  readonly fit: () => void
}

/**
 * An image with zoom (wheel, pinch, plus and minus) and pan (drag, Shift and arrow keys). Dragging with the right button reports the
 * distance. subject: the view is reset when it changes.
 */
export function ImageCanvas({
  label,
  bitmap,
  subject,
  onWindow,
  children,
}: {
  readonly label: string
  readonly bitmap: ImageBitmap | null
  readonly subject: string
  readonly onWindow?: ((dx: number, dy: number) => void) | undefined
  readonly children?: (controls: CanvasControls) => ReactNode
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useElementSize(canvas)
  const [view, setView] = useState<Viewport>(FITTED)
  // A different image is shown completely.
  useEffect(() => setView(FITTED), [subject])
  useEffect(() => {
    if (canvas.current) draw(canvas.current, bitmap, view, frame)
  }, [bitmap, view, frame])
  const zoom = (factor: number, point?: { x: number; y: number }) =>
    setView((before) =>
      bitmap ? panViewport(zoomViewport(before, factor, point), 0, 0, bitmap, frame) : before,
    )
  const pan = (dx: number, dy: number) =>
    setView((before) => (bitmap ? panViewport(before, dx, dy, bitmap, frame) : before))
  const fit = () => setView(FITTED)
  useWheel(canvas, (factor, point) => zoom(factor, point))
  const pointers = usePointers({ zoom, pan, onWindow })
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        tabIndex={0}
        className={styles.canvas}
        onKeyDown={(event) => keyPressed(event, { zoom, pan, fit })}
        onContextMenu={(event) => event.preventDefault()}
        {...pointers}
      />
      {children?.({ zoom, fit })}
    </>
  )
}

interface Moves {
  readonly zoom: (factor: number, point?: { x: number; y: number }) => void
  readonly pan: (dx: number, dy: number) => void
}

function keyPressed(event: KeyboardEvent, { zoom, pan, fit }: Moves & { readonly fit: () => void }): void {
  const pans: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [PAN_PIXELS, 0],
    ArrowRight: [-PAN_PIXELS, 0],
    ArrowUp: [0, PAN_PIXELS],
    ArrowDown: [0, -PAN_PIXELS],
  }
  const step = pans[event.key]
  if (event.key === '+' || event.key === '=') zoom(STEP)
  else if (event.key === '-') zoom(1 / STEP)
  else if (event.key === '0') fit()
  else if (event.shiftKey && step) pan(...step)
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** One pointer pans, two zoom; the right button adjusts the window. */
function usePointers({
  zoom,
  pan,
  onWindow,
}: Moves & { readonly onWindow?: ((dx: number, dy: number) => void) | undefined }) {
  const down = useRef(new Map<number, { x: number; y: number }>())
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    down.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const before = down.current.get(event.pointerId)
    if (!before) return
    const now = { x: event.clientX, y: event.clientY }
    const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1]
    down.current.set(event.pointerId, now)
    if (other)
      zoom(
        Math.hypot(now.x - other.x, now.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)),
      )
    else if (event.buttons === 2) onWindow?.(now.x - before.x, now.y - before.y)
    else pan(now.x - before.x, now.y - before.y)
  }
  const onPointerUp = (event: PointerEvent<HTMLElement>) => void down.current.delete(event.pointerId)
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp }
}

/** Added manually, because the page must not scroll and React's wheel listener cannot prevent that. */
function useWheel(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  onZoom: (factor: number, point: { x: number; y: number }) => void,
): void {
  const latest = useRef(onZoom)
  latest.current = onZoom
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { left, top, width, height } = element.getBoundingClientRect()
      const point = { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 }
      latest.current(2 ** (-event.deltaY / 300), point)
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [canvas])
}

function draw(
  canvas: HTMLCanvasElement,
  bitmap: ImageBitmap | null,
  view: Viewport,
  frame: { readonly width: number; readonly height: number },
): void {
  const ratio = globalThis.devicePixelRatio || 1
  canvas.width = Math.round(frame.width * ratio)
  canvas.height = Math.round(frame.height * ratio)
  const context = canvas.getContext('2d')
  if (!context || !bitmap) return
  const { left, top, width, height } = imageRectangle(view, bitmap, frame)
  // At high magnification, the individual pixels must be visible.
  context.imageSmoothingEnabled = width < 4 * bitmap.width
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, left * ratio, top * ratio, width * ratio, height * ratio)
}
