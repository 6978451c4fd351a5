/** @module-tag service */
import { execFileSync } from 'node:child_process'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PATIENCE } from '../../../../scripts/testing/patience.mjs'
import { describeOnPostgres } from '../../testing/databases.js'
import { type Database, openDatabase } from '../database/database.js'
import type { DatabaseServer } from '../database/dialect.js'
import { ControllersRepository } from './controllers.repository.js'
import { HungController, Lease } from './lease.js'

/** Reads the beats once a second, until they change, or stop for a longer time. */
const LOOK = `
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
const pg = createRequire(${JSON.stringify(import.meta.url)})('pg')
const [url, until] = process.argv.slice(1)
const client = new pg.Client({ connectionString: url })
await client.connect()
let first, last, since
for (;;) {
  const { rows } = await client.query('SELECT beats FROM controllers ORDER BY fence DESC LIMIT 1')
  const beats = Number(rows[0].beats)
  first ??= beats
  if (beats !== last) since = performance.now()
  last = beats
  const unchanged = performance.now() - since
  if (until === 'a beat' ? beats > first : unchanged >= 2500) break
  await setTimeout(50)
}
await client.end()
`

const log = pino({ level: 'silent' })
const lock = 'controller'
/** The duration of a few beats. */
const leaseMilliseconds = 3000

describeOnPostgres((databases) => {
  let url: string
  let controller: Database
  let waiting: Database
  let third: Database
  let lost: Error | undefined
  let fence: number
  beforeEach(async () => {
    const place = await databases.place()
    url = 'url' in place ? place.url : ''
    lost = undefined
    controller = await openDatabase(place, { onLost: (error) => (lost = error) })
    ;[waiting, third] = [await openDatabase(place), await openDatabase(place)]
    await serverOf(controller).tryLock(lock)
    fence = await new ControllersRepository(controller).begin({ internalKey: 'k', folder: 'f' })
  })
  afterEach(async () => {
    for (const database of [controller, waiting, third]) await database.destroy()
  })

  const leaseOfController = (times: { busyMilliseconds?: number; beatMilliseconds?: number } = {}) =>
    new Lease(fence, { repository: new ControllersRepository(controller), url, log, ...times })
  /** Waits in another process while this one is blocked. */
  const whileStill = (until: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', LOOK, url, until], {
      timeout: PATIENCE.poll,
    })
  /** Simulates a waiting process for this number of milliseconds. */
  async function wait(milliseconds: number): Promise<void> {
    const server = serverOf(waiting)
    const hung = new HungController({
      ...{ lock, server, repository: new ControllersRepository(waiting), log, leaseMilliseconds },
    })
    for (const begun = performance.now(); performance.now() - begun < milliseconds; ) {
      await hung.look()
      await new Promise((resume) => setTimeout(resume, 50))
    }
  }

  test('a controller without a sign of life loses its lock and the right to write permanently', async () => {
    await wait(leaseMilliseconds + 1000)
    expect(await serverOf(waiting).tryLock(lock)).toBe(true)
    await expect.poll(() => lost).toMatchObject({ kind: 'lost' })
    const late = new ControllersRepository(controller)
    await expect(late.announce(fence, 'http://late')).rejects.toMatchObject({ kind: 'lost' })
    const lease = leaseOfController()
    await expect(lease.confirm()).rejects.toMatchObject({ kind: 'lost' })
    await lease.end()
  })

  test('a working controller keeps both, although a transaction of another process excludes its own', {
    tags: ['full'],
  }, async () => {
    const lease = leaseOfController()
    await third.transaction().execute(() => wait(2 * leaseMilliseconds))
    await lease.confirm()
    expect(await serverOf(waiting).tryLock(lock)).toBe(false)
    expect(lost).toBeUndefined()
    await lease.end()
  })

  test('a controller with a blocked event loop counts as working', async () => {
    const beats = new ControllersRepository(waiting)
    const busy = leaseOfController({ beatMilliseconds: 20 })
    await expect.poll(() => beats.beats()).not.toBe(`${fence} 0`)
    whileStill('a beat')
    await busy.end()
  })

  test('a controller with a blocked event loop counts as working only for a limited time', {
    tags: ['full'],
  }, async () => {
    const hung = leaseOfController({ busyMilliseconds: 1000 })
    whileStill('silence')
    await hung.end()
  })

  test('a controller that is not the newest any more is notified', async () => {
    const lease = leaseOfController()
    await lease.confirm()
    await new ControllersRepository(waiting).begin({ internalKey: 'k2', folder: 'f' })
    await expect(lease.confirm()).rejects.toThrow('another process is the controller')
    await lease.end()
  })
})

function serverOf({ server }: Database): DatabaseServer {
  if (!server) throw new Error('the database is on no server')
  return server
}
