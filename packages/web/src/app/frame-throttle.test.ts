import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FrameThrottle } from './frame-throttle'

let frames: Map<number, () => void>
beforeEach(() => {
  frames = new Map()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => {
    frames.set(++last, act)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.delete(id))
})
afterEach(() => vi.unstubAllGlobals())

function nextFrame() {
  const acts = [...frames.values()]
  frames.clear()
  for (const act of acts) act()
}

it('calls the work once per frame, and not after a cancellation', () => {
  const work = vi.fn()
  const perFrame = new FrameThrottle(work)
  perFrame.request()
  perFrame.request()
  nextFrame()
  expect(work).toHaveBeenCalledTimes(1)
  perFrame.request()
  perFrame.cancel()
  nextFrame()
  expect(work).toHaveBeenCalledTimes(1)
  perFrame.request()
  nextFrame()
  expect(work).toHaveBeenCalledTimes(2)
})
