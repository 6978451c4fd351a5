/** @module-tag service */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FakeLauncher } from '../../testing/training/fake-launcher.js'
import { describeLauncher, ONE_PROCESS } from '../../testing/training/launcher-contract.js'
import { ordersIn } from '../../testing/training/orders.js'
import { until } from '../../testing/training/until.js'
import { LocalLauncher } from './local/local-launcher.js'

describeLauncher('LocalLauncher', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-launcher-'))
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
    ...ordersIn(folder),
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
    order: async () => ({ job_id: randomUUID(), attempt: 1, spec: 'memory', resources: ONE_PROCESS }),
    beginnings: ({ job_id, attempt }) => (launcher.trainers.has(`${job_id}-${attempt}`) ? 1 : 0),
    async finish({ job_id }) {
      launcher.trainer(job_id).state = 'gone'
    },
    close: async () => undefined,
  }
})

describe('a trainer that is polled', () => {
  it('has not started while it is pending, and has not ended while its state is unknown', async () => {
    const launcher = new FakeLauncher()
    launcher.queues = true
    const trainer = await launcher.submit(
      { job_id: 'a', attempt: 1, spec: '', resources: ONE_PROCESS },
      async () => true,
    )
    const events: string[] = []
    void trainer?.begun.then(() => events.push('begun'))
    void trainer?.gone.then(() => events.push('gone'))
    const fake = launcher.trainer('a')
    const lookedAt = async (times: number) => {
      const from = fake.looks
      await until(() => fake.looks >= from + times)
    }
    await lookedAt(3)
    expect(events).toEqual([])
    fake.state = 'running'
    await until(() => events.length > 0)
    expect(events).toEqual(['begun'])
    fake.state = 'unknown'
    await lookedAt(5)
    expect(events).toEqual(['begun'])
    expect(await trainer?.state()).toBe('unknown')
    fake.state = 'gone'
    await until(() => events.length > 1)
    expect(events).toEqual(['begun', 'gone'])
  })
})
