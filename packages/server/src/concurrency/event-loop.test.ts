import { once } from 'node:events'
import { stat } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { yieldIfDue, yieldUntilLeft } from './event-loop.js'

/** Keep the processor busy, as a step of long work does. */
function step(milliseconds = 1): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

it('long work lets the event loop turn between its slices, and several such works share them', async () => {
  let working = 3
  let turns = 0
  let since = 0
  let most = 0
  const count = () => {
    turns++
    since = 0
    if (working > 0) setImmediate(count)
  }
  setImmediate(count)
  const work = async () => {
    for (let i = 0; i < 60; i++) {
      step()
      most = Math.max(most, ++since)
      await yieldIfDue()
    }
    working--
  }
  await Promise.all([work(), work(), work()])
  expect(turns).toBeGreaterThan(5)
  // 180 steps of a millisecond: the slice of eight, and the step of each work that is in progress when it ends.
  expect(most).toBeLessThanOrEqual(8 + 3)
})

it('work within its slice waits for nothing', async () => {
  await yieldIfDue()
  expect(yieldIfDue()).toBeUndefined()
})

it('work for a caller ends at the first step after the caller has left', () => {
  const caller = new AbortController()
  const pause = yieldUntilLeft(caller.signal)
  pause()
  caller.abort()
  expect(pause).toThrow('the caller did not wait')
})

it('other I/O has its turn also when the work is done in answer to I/O', async () => {
  // What is written to a connection of this machine waits at its other end at once, however busy the machine is.
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const sender = connect((listening.address() as AddressInfo).port, '127.0.0.1')
  const [receiver] = (await once(listening, 'connection')) as [Socket]
  try {
    const answered = await new Promise((done) => {
      let other = false
      receiver.once('data', () => {
        other = true
      })
      stat('.', () => {
        sender.write('other')
        step(50)
        void yieldIfDue()?.then(() => done(other))
      })
    })
    expect(answered).toBe(true)
  } finally {
    for (const end of [sender, receiver]) end.destroy()
    listening.close()
  }
})
