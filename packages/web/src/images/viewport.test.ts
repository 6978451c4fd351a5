import { describe, expect, it } from 'vitest'
import { FITTED, imageRectangle, panViewport, zoomViewport } from './viewport'

const image = { width: 200, height: 100 }
const frame = { width: 400, height: 400 }

describe('what of an image is in view', () => {
  it('is all of it at first, in the middle and in its shape', () => {
    expect(imageRectangle(FITTED, image, frame)).toEqual({ left: 0, top: 100, width: 400, height: 200 })
  })

  it('keeps what is under the pointer where it is', () => {
    const point = { x: 50, y: -20 }
    const before = imageRectangle(FITTED, image, frame)
    const view = zoomViewport(FITTED, 3, point)
    const after = imageRectangle(view, image, frame)
    const shareOf = (rectangle: typeof before) => (200 + point.x - rectangle.left) / rectangle.width
    expect(shareOf(after)).toBeCloseTo(shareOf(before))
    expect(zoomViewport(view, 1e-9).scale).toBe(1)
    expect(zoomViewport(view, 1e9).scale).toBe(40)
  })

  it('cannot be moved out of the frame', () => {
    expect(panViewport(FITTED, 500, 500, image, frame)).toEqual(FITTED)
    const { left, top } = imageRectangle(
      panViewport(zoomViewport(FITTED, 4), 1e6, 1e6, image, frame),
      image,
      frame,
    )
    expect([left, top]).toEqual([0, 0])
  })
})
