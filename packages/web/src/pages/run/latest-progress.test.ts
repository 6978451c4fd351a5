import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LatestProgress, type ProgressMessage } from './latest-progress'

let frames: (() => void)[] = []
beforeEach(() => {
  frames = []
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => frames.push(act))
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
})
afterEach(() => vi.unstubAllGlobals())

const message = (epoch: number, metrics: Record<string, number>) =>
  ({ type: 'progress', epoch, metrics }) as unknown as ProgressMessage

it('shows the newest message of a frame, with every metric that was told', () => {
  const shown: ProgressMessage[] = []
  const newest = new LatestProgress((one) => shown.push(one))
  newest.add(message(1, { loss: 3, accuracy: 0.5 }))
  newest.add(message(2, { loss: 2 }))
  expect(shown).toEqual([])
  expect(frames).toHaveLength(1)
  frames[0]?.()
  expect(shown).toEqual([message(2, { loss: 2, accuracy: 0.5 })])
  newest.add(message(3, { loss: 1 }))
  expect(frames).toHaveLength(2)
})

it('shows it at once before what comes after it, and then not again', () => {
  const shown: ProgressMessage[] = []
  const newest = new LatestProgress((one) => shown.push(one))
  newest.add(message(1, { loss: 3 }))
  newest.flush()
  newest.flush()
  frames[0]?.()
  expect(shown).toEqual([message(1, { loss: 3 })])
})
