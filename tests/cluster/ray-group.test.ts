/** @module-tag full */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RayCluster, startRayCluster, testRay } from '../../packages/server/testing/ray-cluster.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'

describe.skipIf(testRay() === undefined)('one training on two nodes of a Ray cluster', () => {
  let cluster: RayCluster
  const dataset = makeDataset(temporaryFolder('group-data'))
  const services: RunningService[] = []
  beforeAll(async () => {
    cluster = await startRayCluster({ nodes: [{ cpus: 1 }, { cpus: 1 }], dashboard: true })
  })
  afterEach(async () => {
    await Promise.all(services.splice(0).map((running) => running.kill()))
  })
  afterAll(() => cluster?.close())

  const serve = async (launcher: string[]) => {
    const service = await startService({
      roots: [dataset],
      arguments: [...launcher, '--stop-grace', '5', '--log-level', 'warn'],
    })
    services.push(service)
    const caller = new Caller(service.url)
    return {
      caller,
      start: (device: string) =>
        caller.start(
          trainingConfig(dataset, {
            model: { vision_backbone: 'none' },
            training: { device, epochs: 12, num_workers: null },
          }),
        ),
      file: (jobId: string, ...path: string[]) => join(service.dataDir, 'runs', jobId, ...path),
    }
  }
  type Served = Awaited<ReturnType<typeof serve>>
  const onRay = () =>
    serve([
      ...['--launcher', 'ray', '--ray-address', cluster.dashboard ?? ''],
      ...['--ray-token-file', cluster.tokenFile, '--cluster-python', cluster.python],
    ])
  /** The file name is the digest of its content. */
  const weights = ({ file }: Served, jobId: string) =>
    readdirSync(file(jobId, 'checkpoints/best')).find((name) => name.startsWith('model.'))
  const metrics = ({ file }: Served, jobId: string) =>
    JSON.parse(readFileSync(file(jobId, 'metrics/metrics.json'), 'utf8')).epochs

  it('equals two processes on one machine bit for bit, also after one of them was killed', async () => {
    const local = await serve([])
    const alone = await local.start('cpu:2')
    expect(await local.caller.ended(alone)).toMatchObject({ status: 'completed' })

    const ray = await onRay()
    const jobId = await ray.start('cpu:1x2')
    await ray.caller.until(jobId, ({ epoch }) => epoch >= 2)
    killOneProcess(ray.file(jobId, 'spec.json'), '1')
    const job = await ray.caller.ended(jobId)
    expect(job).toMatchObject({ status: 'completed', attempt: 2, epoch: 12 })
    const nodes = /on each of 2 nodes: (\w+), (\w+)/.exec(
      readFileSync(ray.file(jobId, 'logs/training.log'), 'utf8'),
    )
    expect(new Set(nodes?.slice(1)).size).toBe(2)
    expect(metrics(ray, jobId)).toEqual(metrics(local, alone))
    expect(weights(ray, jobId)).toBe(weights(local, alone))
  })

  it('is stopped with a checkpoint, and one that fits no two nodes fails at once', async () => {
    const { caller, start } = await onRay()
    const jobId = await start('cpu:1x2')
    await caller.until(jobId, ({ epoch }) => epoch >= 1)
    await caller.post(`/api/training/${jobId}/stop`)
    expect(await caller.status(jobId)).toMatchObject({ status: 'stopped', attempt: 1, resumable: true })
    const tooLarge = await caller.ended(await start('cpu:1x3'))
    expect(tooLarge.error).toMatchObject({
      code: 'DEVICE_UNAVAILABLE',
      message: expect.stringContaining('each of 3 nodes'),
    })
  })
})

/** The process with this rank on any node: in this test all nodes are on this machine. */
function killOneProcess(spec: string, rank: string): void {
  const found = readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      return command.includes(spec) && environment.includes(`RANK=${rank}`)
    } catch {
      return false
    }
  })
  expect(found).toHaveLength(1)
  process.kill(Number(found[0]), 'SIGKILL')
}
