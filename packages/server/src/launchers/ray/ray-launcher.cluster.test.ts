/** @module-tag full */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { type RayCluster, startRayCluster, testRay } from '../../../testing/ray-cluster.js'
import { describeLauncher } from '../../../testing/training/launcher-contract.js'
import { ordersIn } from '../../../testing/training/orders.js'
import { RayLauncher } from './ray-launcher.js'

describe.skipIf(testRay() === undefined)('with a Ray cluster', () => {
  let cluster: RayCluster
  beforeAll(async () => {
    cluster = await startRayCluster({ nodes: [{ cpus: 2 }, { cpus: 2 }], dashboard: true })
  })
  afterAll(() => cluster?.close())

  describeLauncher('RayLauncher', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medloom-ray-'))
    const launcher = new RayLauncher({
      address: cluster.dashboard ?? '',
      tokenFile: cluster.tokenFile,
      python: join(import.meta.dirname, '../../../testing/training/trainer.mjs'),
      maxJobs: null,
      stopGraceSeconds: 5,
      log: { warn: () => undefined },
      pollMilliseconds: 100,
    })
    return {
      launcher,
      ...ordersIn(folder),
      async close() {
        launcher.close()
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
      },
    }
  })
})
