import { type JobMessage, LIMITS } from '@medloom/contracts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FanOut, type Follower } from './fan-out.js'

const JOB = '4d0f4f1e-0000-4000-8000-000000000001'
let seq = 0
const message = (type: 'progress' | 'validation' | 'completed', padding = ''): JobMessage => {
  seq += 1
  return { type, job_id: JOB, seq, timestamp: '', epoch: 1, metrics: {}, padding } as unknown as JobMessage
}
const settle = () => new Promise((done) => setTimeout(done, 120))

/** A connection that accepts nothing while `blocked`. */
class Client implements Follower {
  cursor = 0
  blocked = false
  /** CPU time for everything that is sent at once. */
  milliseconds = 0
  readonly got: JobMessage[] = []
  readonly writes: number[] = []
  code: number | undefined
  buffered = () => (this.blocked ? 100_000 : 0)
  send(messages: readonly Buffer[]) {
    const until = performance.now() + this.milliseconds
    while (performance.now() < until);
    this.writes.push(messages.length)
    for (const bytes of messages) this.got.push(JSON.parse(String(bytes)))
  }
  close(code: number) {
    this.code = code
  }
}

let fanOut: FanOut
const joined = () => {
  const client = new Client()
  client.cursor = seq
  const { join, leave } = fanOut.watch(JOB, client)
  expect(join()).toBe(true)
  return Object.assign(client, { leave })
}
beforeEach(() => {
  seq = 0
  fanOut = new FanOut()
})

describe('fan-out', () => {
  it('gives a fast follower every message, in order', async () => {
    const client = joined()
    fanOut.publish(JOB, [message('progress'), message('progress')])
    fanOut.publish(JOB, [message('validation'), message('progress')])
    await settle()
    expect(client.got.map((got) => got.seq)).toEqual([1, 2, 3, 4])
  })

  it('serializes a message once, however many follow', async () => {
    for (let count = 0; count < 500; count++) joined()
    const stringify = vi.spyOn(JSON, 'stringify')
    fanOut.publish(JOB, [message('progress')])
    await settle()
    expect(stringify).toHaveBeenCalledTimes(1)
    stringify.mockRestore()
  })

  it('gives the event loop a turn between chunks of followers', async () => {
    // Together they take many times the work limit between two turns, even on a fast machine.
    const clients = Array.from({ length: 1000 }, () => Object.assign(joined(), { milliseconds: 0.05 }))
    const served = () => clients.filter((client) => client.got.length > 0).length
    fanOut.publish(JOB, [message('progress')])
    await new Promise(setImmediate)
    expect(served()).toBeGreaterThan(0)
    expect(served()).toBeLessThan(1000)
    await expect.poll(served).toBe(1000)
    expect(clients.every((client) => client.got.length === 1)).toBe(true)
  })

  //            progress 1, progress 2, validation 3, progress 4, progress 5
  //  slow:                             validation 3,             progress 5
  it('gives a slow follower the newest progress and everything else', async () => {
    const [slow, fast] = [joined(), joined()]
    slow.blocked = true
    for (const type of ['progress', 'progress', 'validation', 'progress', 'progress'] as const) {
      fanOut.publish(JOB, [message(type)])
      await settle()
    }
    expect(slow.got).toEqual([])
    slow.blocked = false
    await settle()
    expect(slow.got.map((got) => got.seq)).toEqual([3, 5])
    expect(fast.got.map((got) => got.seq)).toEqual([1, 2, 3, 4, 5])
  })

  it('keeps the newest progress of each node separately', async () => {
    const slow = joined()
    slow.blocked = true
    for (const node of ['a', 'b', null, 'a', null])
      fanOut.publish(JOB, [{ ...message('progress'), node } as unknown as JobMessage])
    await settle()
    slow.blocked = false
    await settle()
    expect(slow.got.map((got) => got.seq)).toEqual([2, 4, 5])
  })

  it('closes a follower that exceeds the bounded buffer with 1013, and no other', async () => {
    const [slow, fast] = [joined(), joined()]
    slow.blocked = true
    const kilobyte = 'x'.repeat(1024)
    for (let count = 0; count < LIMITS.socket_buffer_bytes / 1024; count++)
      fanOut.publish(JOB, [message('validation', kilobyte)])
    await settle()
    expect(slow.code).toBe(1013)
    expect(fast.code).toBeUndefined()
    expect(fast.got).toHaveLength(1024)
  })

  it('never closes a follower because of progress only, however long it sleeps', async () => {
    const slow = joined()
    slow.blocked = true
    const kilobyte = 'x'.repeat(1024)
    for (let count = 0; count < 3000; count++) {
      fanOut.publish(JOB, [message('progress', kilobyte)])
      if (count % 100 === 0) await new Promise(setImmediate)
    }
    await settle()
    expect(slow.code).toBeUndefined()
    slow.blocked = false
    await settle()
    expect(slow.got.at(-1)?.seq).toBe(3000)
  })

  it('closes with 1000 after the terminal message, even for a slow follower', async () => {
    const [slow, fast] = [joined(), joined()]
    slow.blocked = true
    fanOut.publish(JOB, [message('progress'), message('completed')])
    await settle()
    expect(fast.code).toBe(1000)
    expect(slow.code).toBeUndefined()
    slow.blocked = false
    await settle()
    expect(slow.got.at(-1)?.type).toBe('completed')
    expect(slow.code).toBe(1000)
  })

  it('refuses to join before a published message is read, and accepts afterwards', () => {
    const client = new Client()
    const { join } = fanOut.watch(JOB, client)
    fanOut.publish(JOB, [message('progress')])
    expect(join()).toBe(false)
    client.cursor = 1
    expect(join()).toBe(true)
  })

  it('sends nothing to a follower that has left', async () => {
    const client = joined()
    client.leave()
    fanOut.publish(JOB, [message('progress')])
    await settle()
    expect(client.got).toEqual([])
  })
})
