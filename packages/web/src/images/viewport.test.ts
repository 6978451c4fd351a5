import { describe, expect, it } from 'vitest'
import { FITTING, moved, placeOf, zoomed } from './viewport'

const image = { width: 200, height: 100 }
const frame = { width: 400, height: 400 }

describe('what of an image is in view', () => {
  it('is all of it at first, in the middle and in its shape', () => {
    expect(placeOf(FITTING, image, frame)).toEqual({ left: 0, top: 100, width: 400, height: 200 })
  })

  it('keeps what is under the pointer where it is', () => {
    const point = { x: 50, y: -20 }
    const before = placeOf(FITTING, image, frame)
    const view = zoomed(FITTING, 3, point)
    const after = placeOf(view, image, frame)
    const shareOf = (place: typeof before) => (200 + point.x - place.left) / place.width
    expect(shareOf(after)).toBeCloseTo(shareOf(before))
    expect(zoomed(view, 1e-9).scale).toBe(1)
    expect(zoomed(view, 1e9).scale).toBe(40)
  })

  it('cannot be moved out of the frame', () => {
    expect(moved(FITTING, 500, 500, image, frame)).toEqual(FITTING)
    const { left, top } = placeOf(moved(zoomed(FITTING, 4), 1e6, 1e6, image, frame), image, frame)
    expect([left, top]).toEqual([0, 0])
  })
})
