/** @module-tag full */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../packages/server/testing/free-ports.js'
import { type RayCluster, startRayCluster, testRay } from '../../packages/server/testing/ray-cluster.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'

const hasNamespaces = spawnSync('unshare', ['-rm', 'true']).status === 0
if (!hasNamespaces)
  console.warn('tests of nodes without the folders of the service are skipped: no unshare -rm')

describe.skipIf(testRay() === undefined || !hasNamespaces)(
  'a Ray cluster without the folders of the service',
  () => {
    let cluster: RayCluster
    /** Folder of the service only: its nodes see an empty folder there. */
    const place = temporaryFolder('apart')
    const cache = temporaryFolder('node-cache')
    const dataset = makeDataset(join(place, 'dataset'))
    const services: RunningService[] = []
    beforeAll(async () => {
      const hide = `mount -t tmpfs none '${place}' && exec "$@"`
      cluster = await startRayCluster({
        nodes: [{ cpus: 2, env: { MEDLOOM_NODE_CACHE: cache } }],
        dashboard: true,
        place: { prefix: ['unshare', '-rm', 'sh', '-c', hide, 'sh'], address: '127.0.0.1' },
      })
    })
    afterEach(async () => {
      await Promise.all(services.splice(0).map((running) => running.stop()))
    })
    afterAll(async () => {
      await cluster?.close()
      for (const folder of [place, cache]) rmSync(folder, { recursive: true, force: true })
    })

    const serve = async (name: string, flags: string[]) => {
      const dataDir = join(place, name)
      const service = await startService({
        roots: [dataset],
        dataDir,
        arguments: [...flags, '--log-level', 'warn'],
      })
      services.push(service)
      const weights = (jobId: string) =>
        readdirSync(join(dataDir, 'runs', jobId, 'checkpoints/best')).find((file) =>
          file.startsWith('model.'),
        )
      return { caller: new Caller(service.url), weights }
    }
    const onRay = async () => {
      const port = await freePort()
      return serve('ray', [
        ...['--launcher', 'ray', '--ray-address', cluster.dashboard ?? ''],
        ...['--ray-token-file', cluster.tokenFile, '--cluster-python', cluster.python],
        ...['--exchange', 'http', '--port', String(port), '--exchange-url', `http://127.0.0.1:${port}`],
      ])
    }

    it('trains over HTTP the same bits as a training on the machine of the service', async () => {
      const ray = await onRay()
      const apart = await ray.caller.start(trainingConfig(dataset))
      const job = await ray.caller.ended(apart)
      expect(job, JSON.stringify(job.error)).toMatchObject({ status: 'completed', attempt: 1 })
      expect(existsSync(cache)).toBe(true)
      const local = await serve('local', [])
      const reference = await local.caller.start(trainingConfig(dataset))
      expect(await local.caller.ended(reference)).toMatchObject({ status: 'completed' })
      expect(ray.weights(apart)).toBe(local.weights(reference))
    })

    it('is asked for no training on several nodes', async () => {
      const { caller } = await onRay()
      const config = trainingConfig(dataset, { training: { device: 'cpu:1x2' } })
      expect(await caller.post('/api/training/start', { config })).toMatchObject({
        status: 400,
        body: {
          issues: [
            {
              path: 'config.training.device',
              code: 'DEVICE_UNAVAILABLE',
              message: expect.stringContaining('--exchange http'),
              hint: expect.stringContaining('--exchange folder'),
            },
          ],
        },
      })
    })
  },
)
