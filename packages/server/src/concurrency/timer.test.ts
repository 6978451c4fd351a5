import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { after, Timer } from './timer.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls the work once, after the time of the last start', () => {
  const work = vi.fn()
  const timer = new Timer(work)
  timer.start(100)
  vi.advanceTimersByTime(99)
  timer.start(200)
  vi.advanceTimersByTime(199)
  expect([work.mock.calls.length, timer.isRunning]).toEqual([0, true])
  vi.advanceTimersByTime(1)
  expect([work.mock.calls.length, timer.isRunning]).toEqual([1, false])
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(1)
})

it('starts again from its own work', () => {
  const work = vi.fn(() => {
    if (!timer.isRunning && work.mock.calls.length < 3) timer.start(100)
  })
  const timer = new Timer(work)
  timer.start(100)
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(3)
})

it('extends a running timer only', () => {
  const work = vi.fn()
  const timer = new Timer(work)
  timer.refresh()
  vi.advanceTimersByTime(1000)
  expect(work).not.toHaveBeenCalled()
  timer.start(100)
  vi.advanceTimersByTime(60)
  timer.refresh()
  vi.advanceTimersByTime(60)
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(40)
  expect(work).toHaveBeenCalledTimes(1)
})

it('does nothing after it is stopped or canceled', () => {
  const work = vi.fn()
  const timer = new Timer(work)
  timer.start(100)
  timer.stop()
  after(100, work)()
  vi.advanceTimersByTime(1000)
  expect([work.mock.calls.length, timer.isRunning]).toEqual([0, false])
})
