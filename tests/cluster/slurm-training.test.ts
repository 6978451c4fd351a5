/** @module-tag full */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Job, TrainingConfig } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SLURM_DEFAULTS } from '../../packages/server/src/ports/slurm-settings.js'
import { freePort } from '../../packages/server/testing/free-ports.js'
import { testPython } from '../../packages/server/testing/python.js'
import { startTestService } from '../../packages/server/testing/service.js'
import {
  hasSlurm,
  type SlurmCluster,
  startSlurmCluster,
} from '../../packages/server/testing/slurm-cluster.js'
import { makeDataset } from '../testing/dataset.js'
import { temporaryFolder } from '../testing/service.js'

const python = testPython()
/** Long enough for imports and epochs on a busy machine. */
const PATIENCE = { timeout: 280_000 }

describe.skipIf(python === undefined || !hasSlurm())('a training on Slurm that is interrupted', () => {
  let cluster: SlurmCluster | undefined
  beforeAll(async () => {
    cluster = await startSlurmCluster({ nodes: [2] })
    vi.stubEnv('SLURM_CONF', cluster.env.SLURM_CONF)
    // Sums depend on the number of threads that compute them.
    vi.stubEnv('OMP_NUM_THREADS', '1')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await cluster?.close()
  })

  it('ends with the bits of an undisturbed one, and so does one that sends its files over HTTP', async () => {
    const data = makeDataset(temporaryFolder('data'), { cases: 60, size: 32 })
    const config = TrainingConfig.parse({
      data: { train_csv: join(data, 'train.csv'), val_csv: join(data, 'val.csv'), image_size: [32, 32] },
      model: { vision_backbone: 'mobilenetv3_small_100', fusion_type: 'gated', hidden_dim: 16, members: 1 },
      training: { epochs: 12, batch_size: 8, device: 'cpu', seed: 1 },
      baselines: [],
    })
    const trained = async (launcher: object, meanwhile: (job: () => Promise<Job>) => Promise<void>) => {
      const service = await startTestService({
        python: python ?? '',
        roots: [data],
        stopGraceSeconds: 60,
        ...launcher,
      })
      try {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ config, job_name: 'equal' })
        const started = await fetch(`${service.address}/api/training/start`, {
          method: 'POST',
          headers,
          body,
        })
        const { job_id } = (await started.json()) as Job
        const status = async () =>
          (await fetch(`${service.address}/api/training/${job_id}/status`)).json() as Promise<Job>
        await meanwhile(status)
        await expect.poll(async () => (await status()).ended_at, PATIENCE).not.toBeNull()
        return await status()
      } finally {
        await service.close()
      }
    }
    const undisturbed = await trained({}, async () => undefined)
    const slurm = { ...SLURM_DEFAULTS, pollSeconds: 0.2 }
    const interrupted = await trained({ launcher: 'slurm', slurm }, async (status) => {
      await expect
        .poll(async () => {
          const { phase, epoch } = await status()
          return phase === 'training' && epoch > 2
        }, PATIENCE)
        .toBe(true)
      // As before a time limit.
      const { job_id } = await status()
      await cluster?.run('scancel', '--batch', '--signal=TERM', `--name=medloom-${job_id}-1`)
    })
    const port = await freePort()
    const http = { exchange: 'http', port, exchangeUrl: `http://127.0.0.1:${port}` }
    const overHttp = await trained({ launcher: 'slurm', slurm, ...http }, async () => undefined)
    expect([undisturbed, interrupted, overHttp].map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', 1],
      ['completed', 2],
      ['completed', 1],
    ])
    for (const job of [interrupted, overHttp]) {
      expect(job.best).toEqual(undisturbed.best)
      for (const name of ['best', 'last']) expect(weightsOf(job, name)).toBe(weightsOf(undisturbed, name))
    }
  }, 600_000)
})

/** Digest of the weights of a checkpoint. */
function weightsOf({ run_dir }: Job, name: string): string {
  const manifest = readFileSync(join(run_dir, 'checkpoints', name, 'checkpoint.json'), 'utf8')
  return JSON.parse(manifest).files.model.sha256
}
