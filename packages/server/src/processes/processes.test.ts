/** @module-tag service */
import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { MedloomClient } from '@medloom/client/node'
import type { JobMessage, Model, WorkflowResponse, WorkflowStatus } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENCE } from '../../../../scripts/testing/patience.mjs'
import { draw } from '../../testing/draw.js'
import { hasNginx, startNginx } from '../../testing/nginx.js'
import { createDatabase, HAS_POSTGRES } from '../../testing/postgres-server.js'
import { testSettings } from '../../testing/service.js'
import { type ServiceProcess, ServiceProcesses } from '../../testing/service-processes.js'
import { follow, Place } from '../../testing/training/training-service.js'
import { CONTROLLER_LEASE_MILLISECONDS } from '../durations.js'
import { startService } from '../service.js'

const NGINX = HAS_POSTGRES() && hasNginx()
const TAKEN_OVER = /this process is the controller/
/** A controller that died is replaced within this time. */
const REPLACED_MILLISECONDS = 10_000

/** Without a server (MEDLOOM_TEST_DATABASE_URL) it is skipped, as the setup of the tests reports. */
describe.skipIf(!HAS_POSTGRES())(
  'two API processes and two controllers',
  { timeout: PATIENCE.serviceTest },
  () => {
    let processes: ServiceProcesses
    let first: ServiceProcess
    let second: ServiceProcess
    let controller: ServiceProcess
    let standby: ServiceProcess

    const startApi = () =>
      processes.start('api', '--allowed-host', 'medloom.example.org', '--trusted-proxy', '127.0.0.1')

    beforeAll(async () => {
      processes = await ServiceProcesses.create()
      controller = await processes.start('controller')
      ;[standby, first, second] = await Promise.all([processes.start('controller'), startApi(), startApi()])
    }, 120_000)
    afterAll(() => processes?.remove())

    /** Kill the controller; the other one replaces it, and another one waits. @returns milliseconds until then */
    async function replaceController(): Promise<number> {
      const turns = standby.times(TAKEN_OVER)
      const killed = performance.now()
      await controller.kill()
      await standby.says(TAKEN_OVER, turns + 1)
      const took = performance.now() - killed
      controller = standby
      standby = await processes.start('controller')
      return took
    }

    const eventsOf = async (jobId: string) => {
      const { body } = await first.send<{ events: JobMessage[] }>(
        'GET',
        `/api/training/${jobId}/events?limit=10000`,
      )
      return body.events
    }

    it('a job that one process accepts is followed through the other, and survives the controller', async () => {
      const jobId = await first.train(processes.place, 'batches=40 delay=50', { epochs: 3 })
      const { messages, closed } = second.follow(jobId)
      await expect.poll(() => messages.length).toBeGreaterThan(20)
      await replaceController()
      expect(await closed).toBe(1000)
      expect(messages.at(-1)).toMatchObject({ type: 'completed', status: 'completed' })
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
      expect(messages).toEqual(await eventsOf(jobId))
      expect(await first.job(jobId)).toMatchObject({ status: 'completed', attempt: 1 })
      const { body } = await second.send<{ models: Model[] }>('GET', '/api/models')
      expect(body.models.filter(({ job_id }) => job_id === jobId)).toHaveLength(1)
    })

    it('a follower of a killed process continues at another one, with no message lost or repeated', async () => {
      const jobId = await first.train(processes.place, 'batches=40 delay=20', { epochs: 2 })
      const before = second.follow(jobId)
      await expect.poll(() => before.messages.length).toBeGreaterThan(10)
      await second.kill()
      await before.closed
      const after = first.follow(jobId, `?since=${before.messages.at(-1)?.seq}`)
      second = await startApi()
      expect(await after.closed).toBe(1000)
      expect([...before.messages, ...after.messages]).toEqual(await eventsOf(jobId))
    })

    it('a job accepted without a controller trains as soon as there is one', {
      tags: ['full'],
    }, async () => {
      // The next controller has already loaded its program, which takes as long as a request waits on a busy machine.
      standby.signal('SIGSTOP')
      await controller.kill()
      const jobId = await first.train(processes.place, 'batches=2')
      const { body } = await first.send<{ status: string; checks: Record<string, { ok: boolean }> }>(
        'GET',
        '/api/system/ready',
      )
      expect([body.status, body.checks.controller?.ok]).toEqual(['not_ready', false])
      expect(await second.job(jobId)).toMatchObject({ status: 'started', queue_position: 1 })
      // Requests that only a controller can execute wait for the next one.
      const stopped = first.send<{ code: string }>('POST', '/api/training/unknown/stop')
      const turns = standby.times(TAKEN_OVER)
      standby.signal('SIGCONT')
      expect((await stopped).body.code).toBe('JOB_NOT_FOUND')
      await standby.says(TAKEN_OVER, turns + 1)
      controller = standby
      standby = await processes.start('controller')
      await expect.poll(async () => (await second.job(jobId)).status).toBe('completed')
    })

    it('a run of a workflow continues under the next controller, and computes nothing twice', {
      tags: ['full'],
    }, async () => {
      writeFileSync(join(processes.place.root, 'train.csv'), '"case_id","age","label"\n"1","40","yes"\n')
      const gate = join(processes.place.path, 'gate')
      const workflow = draw(
        {
          load: ['LoadTabular', { path: join(processes.place.root, 'train.csv') }],
          held: ['FilterData', { filter_condition: `hold=${gate}` }],
        },
        ['load.dataframe > held.dataset'],
      )
      const { body } = await first.send<WorkflowResponse>('POST', '/api/workflow/create', workflow)
      const address = `/api/workflow/${body.workflow_id}`
      const state = async () => (await second.send<WorkflowStatus>('GET', `${address}/status`)).body
      await first.send('POST', `${address}/execute`, {})
      await expect.poll(async () => (await state()).nodes.held?.status).toBe('running')
      const { run_id } = await state()
      expect(await replaceController()).toBeLessThan(REPLACED_MILLISECONDS)
      writeFileSync(gate, '')
      await expect.poll(async () => (await state()).status).toBe('success')
      expect(await state()).toMatchObject({ run_id, nodes: { load: { status: 'cached' } } })
    })

    it('a process with another data folder than the database is refused', async () => {
      const other = new Place()
      try {
        const settings = { ...testSettings(), databaseUrl: processes.url, dataDir: other.dataDir }
        await expect(startService({ ...settings, role: 'api' })).rejects.toThrow(/a data folder other than/)
      } finally {
        other.remove()
      }
    })

    it('an empty database next to filled runs is refused', async () => {
      const settings = { ...testSettings(), databaseUrl: await createDatabase() }
      mkdirSync(join(settings.dataDir, 'runs', 'a'), { recursive: true })
      await expect(startService({ ...settings, role: 'controller' })).rejects.toThrow(
        /database at --database-url is empty, but the data folder .* contains runs/,
      )
    })

    it.skipIf(!NGINX)(
      'the example configuration of nginx passes on host names, sockets and uploads',
      async () => {
        const proxy = await startNginx([first.address, second.address])
        try {
          expect(await statusBy(proxy.address, 'medloom.example.org')).toBe(200)
          expect(await statusBy(proxy.address, 'other.example.org')).toBe(400)
          const jobId = await first.train(processes.place, 'batches=4')
          const { messages, closed } = follow(`${proxy.address.replace('http', 'ws')}/ws/training/${jobId}`)
          expect(await closed).toBe(1000)
          expect(messages).toEqual(await eventsOf(jobId))
          const client = new MedloomClient({ baseUrl: proxy.address })
          const bytes = new Uint8Array(5 * 1024 * 1024).fill(1)
          const size_bytes = bytes.length
          const { upload_id } = await client.createUpload({ folder: 'large', path: 'cases.bin', size_bytes })
          expect(await client.sendUpload({ upload_id, offset: 0, content: bytes })).toMatchObject({
            offset: size_bytes,
          })
        } finally {
          await proxy.stop()
        }
      },
    )

    it('a hung controller is replaced like a dead one; when it wakes it repeats nothing, and waits for its next turn', {
      tags: ['full'],
    }, async () => {
      const jobId = await first.train(processes.place, 'batches=40 delay=50', { epochs: 8 })
      await expect.poll(async () => (await eventsOf(jobId)).length).toBeGreaterThan(10)
      const turns = standby.times(TAKEN_OVER)
      controller.signal('SIGSTOP')
      const stopped = performance.now()
      await standby.says(TAKEN_OVER, turns + 1)
      expect(performance.now() - stopped).toBeLessThan(CONTROLLER_LEASE_MILLISECONDS + REPLACED_MILLISECONDS)
      const seen = (await eventsOf(jobId)).length
      await expect.poll(async () => (await eventsOf(jobId)).length).toBeGreaterThan(seen)
      const waits = controller.times(/this process is on standby/)
      controller.signal('SIGCONT')
      await controller.says(/this process is on standby/, waits + 1)
      ;[controller, standby] = [standby, controller]
      await expect.poll(async () => (await first.job(jobId)).status, { timeout: 60_000 }).toBe('completed')
      const events = await eventsOf(jobId)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      expect(events.filter(({ type }) => type === 'completed')).toHaveLength(1)
      const rows = await processes.query<{ count: string }>('SELECT count(*) FROM controllers')
      expect(rows).toEqual([{ count: '1' }])
      const { body } = await second.send<{ models: Model[] }>('GET', '/api/models')
      expect(body.models.filter(({ job_id }) => job_id === jobId)).toHaveLength(1)
      expect(await first.job(jobId)).toMatchObject({ attempt: 1 })
      expect(await replaceController()).toBeLessThan(REPLACED_MILLISECONDS)
    })
  },
)

describe.skipIf(!HAS_POSTGRES())('a controller that trains on its own machine', { tags: ['full'] }, () => {
  it('is refused while trainings run on another machine, until that machine is declared lost', async () => {
    const processes = await ServiceProcesses.create()
    try {
      const controller = await processes.start('controller')
      const api = await processes.start('api')
      const jobId = await api.train(processes.place, 'batches=40 delay=50', { epochs: 50 })
      // A training that had not started yet would be started again.
      await expect.poll(async () => (await api.job(jobId)).epoch).toBeGreaterThan(0)
      await controller.kill()
      // The same handle as if another machine had started the trainer.
      await processes.query(
        `UPDATE jobs SET handle = (handle::jsonb || '{"host": "other", "boot": "of other"}'::jsonb)::text`,
      )
      await expect(processes.start('controller')).rejects.toThrow(
        /a training runs on the machine other[\s\S]*start the controller on other/,
      )
      expect(await api.job(jobId)).toMatchObject({ status: 'running' })
      await processes.start('controller', '--lost-machine', 'other')
      await expect.poll(async () => (await api.job(jobId)).error?.code).toBe('WORKER_LOST')
    } finally {
      await processes.remove()
    }
  }, 120_000)
})

/** Status of a request with this Host header. */
function statusBy(address: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${address}/api/training`, { headers: { host }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once('error', reject)
  })
}
