import { once } from 'node:events'
import { mkdtempSync, rmSync, stat } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { yieldIfDue, yieldUntilAborted } from './event-loop.js'

/** Keeps the CPU busy, like a step of long work. */
function step(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

it('long work shares its slices and lets the event loop turn between them', async () => {
  // Only the steps take time: a busy machine would change the number of steps in a slice.
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  vi.resetModules()
  const { yieldIfDue } = await import('./event-loop.js')
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
      now += 1
      most = Math.max(most, ++since)
      await yieldIfDue()
    }
    working--
  }
  await Promise.all([work(), work(), work()])
  expect(turns).toBeGreaterThan(5)
  // 180 steps of a millisecond: the slice of eight, plus the step of each work that is in progress when it ends.
  expect(most).toBeLessThanOrEqual(8 + 3)
})

it('work within its slice waits for nothing', async () => {
  // A busy machine may take the CPU away for longer than a slice.
  const start = performance.now() + 8
  const clock = vi.spyOn(performance, 'now').mockReturnValue(start)
  onTestFinished(() => clock.mockRestore())
  await yieldIfDue()
  clock.mockReturnValue(start + 7)
  expect(yieldIfDue()).toBeUndefined()
  clock.mockReturnValue(start + 8)
  const turn = yieldIfDue()
  expect(turn).toBeInstanceOf(Promise)
  await turn
})

it('work for a caller ends at the first step after the caller has disconnected', () => {
  const caller = new AbortController()
  const pause = yieldUntilAborted(caller.signal)
  pause()
  caller.abort()
  expect(pause).toThrow('the caller disconnected')
})

it('other I/O has its turn even if the work is started by I/O', async () => {
  // The system call that writes to a local socket delivers the data directly; on a busy machine, TCP delivers it later.
  const folder = mkdtempSync(join(tmpdir(), 'medloom-socket-'))
  const listening = createServer().listen(join(folder, 'socket'))
  await once(listening, 'listening')
  const sender = connect(join(folder, 'socket'))
  const [[receiver]] = (await Promise.all([once(listening, 'connection'), once(sender, 'connect')])) as [
    [Socket],
    [],
  ]
  const answeredMeanwhile = async () => {
    let other = false
    const arrived = new Promise<void>((done) => {
      receiver.once('data', () => {
        other = true
        done()
      })
    })
    const answered = await new Promise<boolean>((done) => {
      stat('.', () => {
        sender.write('other')
        step(50)
        void yieldIfDue()?.then(() => done(other))
      })
    })
    await arrived
    return answered
  }
  try {
    // Without its turn it is never answered in between; with it, a busy machine may still deliver the data too late once or twice.
    let answered = false
    for (let attempt = 0; attempt < 20 && !answered; attempt++) answered = await answeredMeanwhile()
    expect(answered).toBe(true)
  } finally {
    for (const end of [sender, receiver]) end.destroy()
    listening.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
