import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasSlurm, type SlurmCluster, startSlurmCluster } from '../../../testing/slurm-cluster.js'
import { describeLauncher } from '../../../testing/training/launcher-contract.js'
import { ordersIn } from '../../../testing/training/orders.js'
import { runDirectory } from '../../storage/run-directory.js'
import { SlurmLauncher } from './slurm-launcher.js'
import { SLURM_DEFAULTS } from './slurm-settings.js'

const log = { warn: () => undefined }
const python = join(import.meta.dirname, '../../../testing/training/trainer.mjs')

describe.skipIf(!hasSlurm())('a Slurm cluster without accounting', () => {
  let cluster: SlurmCluster | undefined
  beforeAll(async () => {
    cluster = await startSlurmCluster({ nodes: [2, 2], gpus: 2 })
  })
  afterAll(() => cluster?.close())

  describeLauncher('SlurmLauncher', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
    const { run, ...orders } = ordersIn(folder)
    const settings = { ...SLURM_DEFAULTS, pollSeconds: 0.2 }
    const launcher = new SlurmLauncher({ settings, python, maxJobs: null, run, log, env: cluster?.env ?? {} })
    return {
      launcher,
      ...orders,
      async close() {
        launcher.close()
        await cluster?.cancelAll()
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
      },
    }
  })

  it('counts what the nodes of a partition have, and asks for what a trainer takes', async () => {
    const settings = { ...SLURM_DEFAULTS, pollSeconds: 0.2 }
    const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
    const run = (jobId: string) => runDirectory(join(folder, jobId))
    const launcher = new SlurmLauncher({ settings, python, maxJobs: null, run, log, env: cluster?.env ?? {} })
    const { cluster: found } = await launcher.capacity()
    expect(found).toMatchObject({
      cpus: 4,
      gpus: 4,
      nodes: [
        { cpus: 2, gpus: 2 },
        { cpus: 2, gpus: 2 },
      ],
    })
    mkdirSync(join(run('a').path, 'logs'), { recursive: true })
    const resources = { nodes: 1, processes: 2, cpus: 2, gpus: 2 }
    const order = { job_id: 'a', attempt: 1, spec: join(folder, 'none'), resources }
    const trainer = await launcher.submit(order, async () => true)
    const asked = async () =>
      cluster?.run(
        'squeue',
        '-h',
        '--states=all',
        '--name=medloom-a-1',
        '-O',
        'cpus-per-task,tres-per-node:80',
      )
    await expect.poll(asked).toMatch(/^2 .*gpu:2/)
    trainer?.release()
    const tooMany = { ...order, attempt: 2, resources: { ...resources, gpus: 3 } }
    await expect(launcher.submit(tooMany, async () => true)).rejects.toMatchObject({ code: 'SLURM_REFUSED' })
    await cluster?.cancelAll()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
})
