import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endIfIdle } from './idle-response.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const LIMIT = 1000

class Response extends EventEmitter {
  readonly socket = { bytesRead: 100 }
  readonly destroy = vi.fn((error?: Error) => {
    this.emit('close', error)
    return this
  })
}

/** A response that is watched, and its caller. */
function watched() {
  const response = new Response()
  const caller = { writableNeedDrain: false }
  endIfIdle(response as never, caller, LIMIT)
  return { response, caller }
}

test('a response without another byte ends with an error after the limit', async () => {
  const { response } = watched()
  await vi.advanceTimersByTimeAsync(LIMIT - 1)
  expect(response.destroy).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(response.destroy).toHaveBeenCalledExactlyOnceWith(expect.any(Error))
  expect(vi.getTimerCount()).toBe(0)
})

test('a slow response continues as long as bytes arrive', async () => {
  const { response } = watched()
  for (let i = 0; i < 5; i++) {
    response.socket.bytesRead += 1
    await vi.advanceTimersByTimeAsync(LIMIT)
  }
  expect(response.destroy).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(LIMIT)
  expect(response.destroy).toHaveBeenCalledOnce()
})

test('a caller who does not read stalls the response without ending it', async () => {
  const { response, caller } = watched()
  caller.writableNeedDrain = true
  await vi.advanceTimersByTimeAsync(5 * LIMIT)
  expect(response.destroy).not.toHaveBeenCalled()
})

test('a complete response is not watched any more', async () => {
  const { response } = watched()
  response.emit('close')
  expect(vi.getTimerCount()).toBe(0)
})
