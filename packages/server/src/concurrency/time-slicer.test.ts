import { expect, it } from 'vitest'
import { TimeSlicer } from './time-slicer.js'

/** Keeps the CPU busy, like a piece of work. */
function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

it('pieces run in the order of their arrival, each up to its first wait', async () => {
  const slicer = new TimeSlicer()
  const seen: string[] = []
  const piece = async (name: string) => {
    await slicer.next()
    seen.push(`${name} begins`)
    seen.push(`${name} ends`)
    await slicer.next()
    seen.push(`${name} again`)
  }
  await Promise.all(['a', 'b'].map(piece))
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'a again', 'b again'])
})

it('the event loop turns between slices, however many pieces arrive at once', async () => {
  const slicer = new TimeSlicer(5)
  let since = 0
  let most = 0
  let working = true
  const count = () => {
    since = 0
    if (working) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      await slicer.next()
      busy(1)
      most = Math.max(most, ++since)
    }),
  )
  working = false
  // The slice of five, plus the piece that is in progress when it ends.
  expect(most).toBeLessThanOrEqual(6)
})
