/** Visible part of an image: scale relative to fitting, and offset of its center from the center of the frame, in pixels. */
export interface Viewport {
  readonly scale: number
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export const FITTED: Viewport = { scale: 1, x: 0, y: 0 }
const MAX_SCALE = 40

/** Position of the image in the frame. */
export function imageRectangle(view: Viewport, image: Size, frame: Size) {
  const fit = Math.min(frame.width / image.width, frame.height / image.height)
  const [width, height] = [image.width * fit * view.scale, image.height * fit * view.scale]
  return {
    left: (frame.width - width) / 2 + view.x,
    top: (frame.height - height) / 2 + view.y,
    width,
    height,
  }
}

/** Zooms around a point of the frame, measured from its center; that point does not move. */
export function zoomViewport(view: Viewport, factor: number, point = { x: 0, y: 0 }): Viewport {
  const scale = Math.min(Math.max(view.scale * factor, 1), MAX_SCALE)
  const ratio = scale / view.scale
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio }
}

/** Pans within the limits at which the image still fills the frame. */
export function panViewport(view: Viewport, dx: number, dy: number, image: Size, frame: Size): Viewport {
  const { width, height } = imageRectangle(view, image, frame)
  const [reachX, reachY] = [Math.max(0, (width - frame.width) / 2), Math.max(0, (height - frame.height) / 2)]
  return { scale: view.scale, x: clamp(view.x + dx, reachX), y: clamp(view.y + dy, reachY) }
}

function clamp(value: number, reach: number): number {
  return Math.min(Math.max(value, -reach), reach)
}
