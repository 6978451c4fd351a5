import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConnectionThread } from './connection-thread.js'

let folder: string
let thread: ConnectionThread
let worker: Worker
let lost: Error[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-thread-'))
  lost = []
  const started = once(process, 'worker')
  thread = new ConnectionThread(join(folder, 'medloom.db'), (error) => void lost.push(error))
  ;[worker] = await started
  await thread.statement('CREATE TABLE numbers (number INTEGER)', [])
})
afterEach(async () => {
  await thread.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Takes so long that the following statement has to wait. */
const slow = () =>
  thread.statement(
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT sum(i) AS sum FROM n',
    [],
  )
const insert = (number: number) => thread.statement('INSERT INTO numbers VALUES (?)', [number])
/** Simulates a defect of the thread at the next message: it cannot be ended from outside while SQLite works. */
const die = () => worker.postMessage(null)
const endings = async (requests: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(requests)).map((ending) =>
    ending.status === 'fulfilled' ? 'done' : String(ending.reason.message),
  )

describe('a close while statements wait', () => {
  it('settles all of them: sent and pending ones are executed, later ones are refused', async () => {
    const sent = endings([slow(), insert(1), insert(2)])
    // These statements are already sent; later ones still wait for the end of this turn.
    await Promise.resolve()
    const unsent = endings([insert(3), insert(4)])
    const closing = thread.close()
    const late = endings([insert(5), thread.commit(), thread.rollback()])
    expect(await sent).toEqual(Array(3).fill('done'))
    expect(await unsent).toEqual(Array(2).fill('done'))
    expect(await late).toEqual(Array(3).fill('the database is closed'))
    await closing
    await thread.close()
    const again = new ConnectionThread(join(folder, 'medloom.db'), () => undefined)
    const { rows } = await again.statement('SELECT number FROM numbers', [])
    expect(rows).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }])
    await again.close()
    expect(lost).toEqual([])
  })

  it('settles them and itself, even if the thread dies first', async () => {
    die()
    const outcomes = endings([insert(1), insert(2)])
    await thread.close()
    expect(await outcomes).toEqual(Array(2).fill('the database is closed'))
    // The end was requested, so it is not reported as a loss.
    expect(lost).toEqual([])
  })
})

describe('a thread that dies', () => {
  it('rejects pending requests, is reported once, and refuses later requests', async () => {
    die()
    const after = endings([insert(2), thread.commit()])
    expect(await after).toEqual(Array(2).fill('the thread of the database is gone'))
    expect(await endings([insert(3)])).toEqual(['the thread of the database is gone'])
    expect(lost.map(({ message }) => message)).toEqual(['the thread of the database is gone'])
  })
})
