// @module-tag service
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { MedloomClient } from '@medloom/client/node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { POSTGRES_PROGRAMS, PostgresCluster } from '../testing/postgres-cluster.js'
import { executeStatement } from '../testing/postgres-server.js'
import { testSettings } from '../testing/service.js'
import { openDatabase } from './database/database.js'
import { isLost } from './database/database-error.js'
import { RestartingService } from './restarting-service.js'
import type { Settings } from './settings.js'

const RESTARTS = 3

if (!POSTGRES_PROGRAMS)
  process.stdout.write(
    'PostgreSQL is not installed here (pg_ctl): tests that restart a server are skipped.\n',
  )

describe.skipIf(!POSTGRES_PROGRAMS)('a service whose database server is restarted', () => {
  let cluster: PostgresCluster
  let settings: Settings
  const failures: unknown[] = []
  const started: Promise<RestartingService>[] = []
  /** Handles uncaught errors like the process does. */
  const uncaught = (error: unknown) => {
    if (!isLost(error)) failures.push(error)
  }
  const start = (own: Partial<Settings> = {}): Promise<RestartingService> => {
    const starting = RestartingService.start({ ...settings, ...own }, uncaught)
    started.push(starting)
    return starting
  }
  beforeAll(async () => {
    process.on('unhandledRejection', uncaught)
    cluster = await PostgresCluster.create()
    settings = testSettings({ databaseUrl: cluster.url() })
  })
  // Whatever a test left: the next one gets a server that runs with its normal settings, and no service uses it.
  afterEach(async () => {
    await cluster.restart()
    for (const starting of started.splice(0))
      await starting.then(
        (service) => service.close(),
        () => undefined,
      )
    failures.length = 0
  })
  afterAll(async () => {
    await cluster?.remove()
    process.off('unhandledRejection', uncaught)
  })

  test('reports it while the server is unavailable, continues at the same address, and closes while it is unavailable', async () => {
    const running = await start()
    const { address } = running.service
    await cluster.stop('fast')
    const response = await fetch(`${address}/api/workflow`)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'DATABASE_UNAVAILABLE' }])
    const ready = await fetch(`${address}/api/system/ready`)
    expect(await ready.json()).toMatchObject({ status: 'not_ready', checks: { database: { ok: false } } })
    await cluster.start()
    await expect.poll(() => statusOf(`${address}/api/workflow`)).toBe(200)
    expect([running.service.address, failures]).toEqual([address, []])
    await cluster.stop('fast')
    await pause(50)
    await running.close()
    expect(failures).toEqual([])
  })

  test('in the middle of commits: acknowledged changes are stored, and nothing is executed twice', {
    tags: ['full'],
    timeout: 120_000,
  }, async () => {
    const running = await start()
    const client = new MedloomClient({ baseUrl: running.service.address })
    const acknowledged = new Map<string, string>()
    let going = true
    const write = async () => {
      while (going) {
        const name = randomUUID()
        const { workflow_id } = await client.createWorkflow({ name } as never, {
          idempotencyKey: name,
          retrySeconds: 120,
        })
        acknowledged.set(name, workflow_id)
      }
    }
    const writers = Promise.all(Array.from({ length: 8 }, write))
    for (let i = 0; i < RESTARTS; i++) {
      const before = acknowledged.size
      await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20)
      await cluster.stop('immediate')
      await cluster.start()
    }
    const before = acknowledged.size
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20)
    going = false
    await writers
    const database = await openDatabase({ url: cluster.url() })
    const rows = await database.selectFrom('workflows').select(['name', 'workflow_id']).execute()
    await database.destroy()
    expect(new Map(rows.map(({ name, workflow_id }) => [name, workflow_id]))).toEqual(acknowledged)
    expect(rows).toHaveLength(acknowledged.size)
    expect(failures).toEqual([])
  })

  test('a controller that waits for its turn waits through a restart, and takes over', async () => {
    const controller = await start({ role: 'controller' })
    const standby = start({ role: 'controller' })
    await expect.poll(() => sessionsThatWait(cluster.url())).toBe(1)
    await cluster.stop('fast')
    await controller.close()
    await cluster.start()
    await (await standby).close()
    expect(failures).toEqual([])
  })

  test('does not start on a server that a power failure would damage', async () => {
    await cluster.restart('fsync=off')
    await expect(start()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('fsync is off'),
      remedy: expect.stringContaining('fsync = on'),
    })
    await cluster.stop('fast')
    await expect(start()).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.stringContaining('MEDLOOM_DATABASE_URL'),
    })
  })
})

/** Number of controllers whose last query checked if another one holds their lock. */
async function sessionsThatWait(url: string): Promise<number> {
  const sessions = await executeStatement<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE application_name = 'medloom-controller'`,
    url,
  )
  return sessions.filter(({ query }) => /pg_locks|pg_try_advisory_lock|"beats"/.test(query)).length
}

async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  )
}
