/** @module-tag service */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrainingConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { FakeLauncher } from '../../testing/training/fake-launcher.js'
import { describeLauncher } from '../../testing/training/launcher-contract.js'
import { until } from '../../testing/training/until.js'
import { runDirectory } from '../storage/run-directory.js'
import { fileExchanges } from './exchange/file-exchange.js'
import { LocalLauncher } from './local/local-launcher.js'

describeLauncher('LocalLauncher', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
  const run = (jobId: string) => runDirectory(join(folder, 'runs', jobId))
  const exchange = fileExchanges({ folder: { run, cache: join(folder, 'cache') }, roots: [folder] })
  const pool = { run: () => Promise.reject(new Error('no Python here')) }
  const python = join(import.meta.dirname, '../../testing/training/trainer.mjs')
  const launcher = new LocalLauncher({
    python,
    logs: join(folder, 'logs'),
    pool,
    maxJobs: null,
    prewarm: true,
  })
  return {
    launcher,
    async order() {
      const job_id = randomUUID()
      const config = TrainingConfig.parse({
        data: { train_csv: join(folder, 'train.csv') },
        model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
        training: { epochs: 100_000, batch_size: 4, device: 'cpu' },
      })
      const spec = { job_name: 'contract', attempt: 1, config, resumed_from: null }
      return { job_id, attempt: 1, spec: await exchange(job_id).putSpec(spec) }
    },
    beginnings({ job_id, attempt }) {
      try {
        return readFileSync(run(job_id).events(attempt), 'utf8').split('"preparing"').length - 1
      } catch {
        return 0
      }
    },
    finish: ({ job_id, attempt }) => exchange(job_id).ask(attempt, 'stop'),
    async close() {
      launcher.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})

describeLauncher('a launcher in memory', async () => {
  const launcher = new FakeLauncher()
  return {
    launcher,
    order: async () => ({ job_id: randomUUID(), attempt: 1, spec: 'memory' }),
    beginnings: ({ job_id, attempt }) => (launcher.trainers.has(`${job_id}-${attempt}`) ? 1 : 0),
    async finish({ job_id }) {
      launcher.of(job_id).state = 'gone'
    },
    close: async () => undefined,
  }
})

describe('a trainer that is looked at again and again', () => {
  it('has not begun while it is pending, and has not ended while nobody can tell', async () => {
    const launcher = new FakeLauncher()
    launcher.queues = true
    const trainer = await launcher.submit({ job_id: 'a', attempt: 1, spec: '' }, async () => true)
    const told: string[] = []
    void trainer?.begun.then(() => told.push('begun'))
    void trainer?.gone.then(() => told.push('gone'))
    const fake = launcher.of('a')
    const lookedAt = async (times: number) => {
      const from = fake.looks
      await until(() => fake.looks >= from + times)
    }
    await lookedAt(3)
    expect(told).toEqual([])
    fake.state = 'running'
    await until(() => told.length > 0)
    expect(told).toEqual(['begun'])
    fake.state = 'unknown'
    await lookedAt(5)
    expect(told).toEqual(['begun'])
    expect(await trainer?.state()).toBe('unknown')
    fake.state = 'gone'
    await until(() => told.length > 1)
    expect(told).toEqual(['begun', 'gone'])
  })
})
