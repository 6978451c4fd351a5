/** @module-tag service */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ready } from '@medloom/contracts'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migratedFile } from '../../testing/migrated-file.js'
import { peopleOf } from '../../testing/people.js'
import { testSettings } from '../../testing/service.js'
import { until } from '../../testing/training/until.js'
import { workerProgram } from '../../testing/worker-program.js'
import { buildApp } from '../app.js'
import { type Database, openDatabase } from '../database/database.js'
import { createMetrics } from '../http/metrics.js'
import type { TaskPool } from '../ports/task-pool.js'
import { openDataFolder } from '../storage/data-folder.js'
import { createTaskPool } from '../worker/task-pool.js'
import { createSystem } from './index.js'

const PROBE = { python_version: '3.11', pytorch_version: '2.13', packages: {}, cuda: [], mps: false }
const CACHE = { stores: [], size_bytes: 0, limit_bytes: null }

let base: string
let pool: TaskPool
let app: FastifyInstance
let database: Database
let close: () => Promise<void>

/** A service whose workers answer only the probe until a file appears. Its time limit is a few milliseconds. */
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-ready-')))
  const folder = await openDataFolder(join(base, 'data'))
  database = await openDatabase(await migratedFile(folder.database))
  const log = pino({ level: 'silent' })
  const metrics = createMetrics()
  const python = workerProgram(
    base,
    `if (request.task === 'probe') return reply({ type: 'result', id: request.id, result: ${JSON.stringify(PROBE)} })
     const timer = setInterval(() => {
       if (!fs.existsSync(${JSON.stringify(join(base, 'answers'))})) return
       clearInterval(timer)
       reply({ type: 'result', id: request.id, result: ${JSON.stringify(CACHE)} })
     }, 5)`,
  )
  pool = createTaskPool({ python, logs: folder.logs, log, stuckSeconds: 0.02, lastingSeconds: 0.02 })
  const context = { settings: testSettings(), folder, database, pool, gauges: metrics, log } as never
  const { routes } = createSystem(
    context,
    { pause: () => null, capacity: async () => ({ accelerators: [], maxJobs: null }) },
    async () => ({}) as never,
  )
  const handlers = new Proxy(routes, {
    get: (own, name) =>
      Reflect.get(own, name) ??
      (() => {
        throw new Error('another domain')
      }),
  })
  app = await buildApp({
    context,
    metrics,
    people: peopleOf(database),
    handlers: handlers as never,
    tasks: { begin: async () => Promise.reject(new Error('no tasks')) },
    sockets: [],
  })
  close = async () => {
    await app.close()
    metrics.close()
    await database.destroy()
    await folder.close()
    rmSync(base, { recursive: true, force: true })
  }
})
afterEach(() => close())

const workers = async () => {
  const response = await app.inject({ url: '/api/system/ready' })
  expect(response.statusCode).toBe(200)
  const { status, checks } = Ready.parse(response.json())
  return { status, ...checks.workers }
}

test('the worker check fails while tasks wait for stuck processes, and recovers with them', async () => {
  expect(await workers()).toMatchObject({ ok: true })
  // Two of a kind are working, two represent stuck ones: the fifth waits.
  const cache_dir = join(base, 'data', 'cache')
  const results = Array.from({ length: 5 }, () => pool.run('cache_state', { cache_dir }))
  const stuck = /^1 short task waits for a worker process.*4 of 4 processes show no activity/
  await until(async () => stuck.test((await workers()).message ?? ''))
  expect(await workers()).toMatchObject({ status: 'not_ready', ok: false })
  writeFileSync(join(base, 'answers'), '')
  expect(await Promise.all(results)).toEqual(Array(5).fill(CACHE))
  expect(await workers()).toMatchObject({ ok: true })
})

test('a read-only database is not ready, and the check shows the remedy', async () => {
  await sql`PRAGMA query_only = ON`.execute(database)
  const { status, checks } = Ready.parse((await app.inject({ url: '/api/system/ready' })).json())
  expect([status, checks.database]).toEqual([
    'not_ready',
    {
      ok: false,
      message: expect.stringMatching(/writing is not possible \(SQLITE_READONLY\w*\)\. Give the user/),
    },
  ])
})
