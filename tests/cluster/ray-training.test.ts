/** @module-tag full */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RayJobs } from '../../packages/server/src/launchers/ray/ray-jobs.js'
import { type RayCluster, startRayCluster, testRay } from '../../packages/server/testing/ray-cluster.js'
import { Caller } from '../testing/http.js'
import { REPOSITORY, type RunningService, startService, temporaryFolder } from '../testing/service.js'

/** Implements the protocol of the trainer without training; words in the name of a job define its behavior. */
const TRAINER = join(REPOSITORY, 'packages/server/testing/training/trainer.mjs')

describe.skipIf(testRay() === undefined)('trainings on a Ray cluster of two nodes', () => {
  let cluster: RayCluster
  let jobs: RayJobs
  let service: RunningService
  let caller: Caller
  const root = temporaryFolder('ray-root')
  const services: RunningService[] = []
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'train.csv'), 'label\n')

  beforeAll(async () => {
    cluster = await startRayCluster({ nodes: [{ cpus: 2 }, { cpus: 2 }], dashboard: true })
    jobs = new RayJobs({ address: cluster.dashboard ?? '', tokenFile: cluster.tokenFile })
  })
  afterEach(async () => {
    await Promise.all(services.splice(0).map((running) => running.kill()))
  })
  afterAll(async () => {
    jobs?.close()
    await cluster?.close()
  })

  const serve = async (dataDir = temporaryFolder('ray-data'), address = cluster.dashboard ?? '') => {
    service = await startService({
      roots: [root],
      dataDir,
      arguments: [
        ...['--launcher', 'ray', '--ray-address', address, '--ray-token-file', cluster.tokenFile],
        ...['--cluster-python', TRAINER, '--stop-grace', '2', '--log-level', 'warn'],
      ],
    })
    services.push(service)
    caller = new Caller(service.url)
    return dataDir
  }
  const start = (name: string, training: object = {}) =>
    caller.start(
      {
        data: { train_csv: 'train.csv' },
        model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
        training: { epochs: 3, batch_size: 4, ...training },
      },
      name,
    )
  const running = (jobId: string) => caller.until(jobId, ({ epoch }) => epoch >= 1)
  const beginnings = (dataDir: string, jobId: string, attempt = 1) =>
    readFileSync(join(dataDir, 'runs', jobId, `events.${attempt}.jsonl`), 'utf8').split('"preparing"')
      .length - 1

  it('start and finish', async () => {
    await serve()
    const job = await caller.ended(await start('plain'))
    expect(job).toMatchObject({ status: 'completed', attempt: 1, epoch: 3 })
  })

  it('save a checkpoint when Ray stops them, with the time that the service gives', async () => {
    await serve()
    const jobId = await start('deaf delay=50', { epochs: 1000 })
    await running(jobId)
    // It ignores the requests of the service: only the signal of Ray reaches it.
    await caller.post(`/api/training/${jobId}/stop`)
    expect(await caller.status(jobId)).toMatchObject({ status: 'stopped', resumable: true })
    await until(async () => (await jobs.details(`${jobId}-1`))?.status === 'STOPPED')
  })

  it('are adopted by the next service after the first was killed', async () => {
    const dataDir = await serve()
    const jobId = await start('delay=50', { epochs: 40 })
    await running(jobId)
    await service.kill()
    await serve(dataDir)
    expect(await caller.ended(jobId)).toMatchObject({ status: 'completed', attempt: 1, epoch: 40 })
    expect(beginnings(dataDir, jobId)).toBe(1)
  })

  it('are submitted once although the answer of Ray is lost', async () => {
    const proxy = await cutAfterSubmission(cluster.dashboard ?? '')
    try {
      const dataDir = await serve(undefined, proxy.address)
      const jobId = await start('plain')
      expect(await caller.ended(jobId)).toMatchObject({ status: 'completed', attempt: 1 })
      expect([proxy.cut(), beginnings(dataDir, jobId)]).toEqual([1, 1])
    } finally {
      await proxy.close()
    }
  })

  it('wait while others use the cluster, with that reason, and can be stopped', async () => {
    await serve()
    await Promise.all(['others-1', 'others-2'].map((id) => jobs.submit(sleeping(id))))
    for (const id of ['others-1', 'others-2'])
      await until(async () => (await jobs.details(id))?.status === 'RUNNING')
    const jobId = await start('plain')
    const waiting = await caller.until(jobId, ({ reason }) => reason !== null)
    expect(waiting).toMatchObject({
      status: 'started',
      reason: expect.stringContaining('waiting for resources'),
    })
    await caller.post(`/api/training/${jobId}/stop`)
    expect(await caller.status(jobId)).toMatchObject({
      status: 'stopped',
      reason: 'stopped before it started',
    })
    await Promise.all(['others-1', 'others-2'].map((id) => jobs.stop(id)))
    await until(
      async () => !['PENDING', 'RUNNING'].includes((await jobs.details(`${jobId}-1`))?.status ?? ''),
    )
    expect(await caller.status(jobId)).toMatchObject({ status: 'stopped', attempt: 1 })
  })

  it('fail if no node could ever run them, with the reason', async () => {
    await serve()
    const tooLarge = await caller.ended(await start('too large', { device: 'cpu:3' }))
    expect(tooLarge).toMatchObject({ status: 'failed', error: { code: 'DEVICE_UNAVAILABLE' } })
    expect(tooLarge.error?.message).toContain('2 nodes with 2 cores and no GPU')
  })

  it('continue from their last checkpoint when their node is lost, as soon as there is room', async () => {
    const dataDir = await serve()
    const both = [
      await start('delay=60', { epochs: 60, num_workers: 2 }),
      await start('delay=60', { epochs: 60, num_workers: 2 }),
    ]
    for (const jobId of both) await running(jobId)
    await cluster.killNode(1)
    const attempts = async () => Promise.all(both.map(async (jobId) => (await caller.status(jobId)).attempt))
    await until(async () => (await attempts()).includes(2))
    await cluster.startNode(1)
    for (const jobId of both)
      expect(await caller.ended(jobId)).toMatchObject({ status: 'completed', epoch: 60 })
    expect((await attempts()).sort()).toEqual([1, 2])
    const lost = both[(await attempts()).indexOf(2)] ?? ''
    expect(readdirSync(join(dataDir, 'runs', lost))).toContain('events.2.jsonl')
  })

  it('are unknown while the head is unavailable, and continue when it returns without their records', async () => {
    await serve()
    const jobId = await start('delay=60', { epochs: 60 })
    await running(jobId)
    await Promise.all([cluster.killNode(0), cluster.killNode(1)])
    // Neither failed nor restarted while its state is unknown.
    const waiting = await start('plain')
    const ready = async () => JSON.stringify((await caller.get('/api/system/ready')).body)
    await until(async () => (await ready()).includes('the Ray cluster cannot be used'))
    expect(await caller.status(jobId)).toMatchObject({ status: 'running', attempt: 1 })
    await cluster.startNode(0)
    await cluster.startNode(1)
    expect(await caller.ended(jobId)).toMatchObject({ status: 'completed', attempt: 2, epoch: 60 })
    expect(await caller.ended(waiting)).toMatchObject({ status: 'completed' })
  })
})

/** A job of another user that occupies a whole node. */
function sleeping(submission_id: string) {
  return {
    submission_id,
    entrypoint: 'exec sleep 600',
    runtime_env: { env_vars: {} },
    metadata: {},
    entrypoint_num_cpus: 2,
  }
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  await expect.poll(reached).toBe(true)
}

/** Forwards everything, and cuts the connection of the first submission once Ray has responded. */
async function cutAfterSubmission(
  target: string,
): Promise<{ address: string; cut: () => number; close: () => Promise<unknown> }> {
  let cut = 0
  const server: Server = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const passed = httpRequest(new URL(url ?? '/', target), { method, headers }, (answer) => {
      if (method === 'POST' && url === '/api/jobs/' && cut === 0) {
        cut += 1
        answer.resume().on('end', () => response.destroy())
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => cut,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
