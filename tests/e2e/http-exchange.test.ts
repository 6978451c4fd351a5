// @module-tag service

import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Job } from '@medloom/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../packages/server/testing/free-ports.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'

let dataset: string
beforeAll(() => {
  dataset = makeDataset(join(temporaryFolder('exchange'), 'synthetic'))
})
afterAll(() => rmSync(dirname(dataset), { recursive: true, force: true }))

test('a training that shares no folder with the service ends with the bits of one that does', async () => {
  const shared = await trained(['--exchange', 'folder'])
  const apart = await trained(['--exchange', 'http'])
  expect(apart.weights).toBe(shared.weights)
  expect(apart.job.metrics).toEqual(shared.job.metrics)
})

test('while the service is dead the training goes on, and the next one is told all of it once', async () => {
  const undisturbed = await trained(['--exchange', 'http'], 6)
  const port = await freePort()
  const flags = ['--exchange', 'http', '--port', String(port)]
  const dataDir = temporaryFolder('exchange-killed')
  const first = await start(dataDir, flags)
  const jobId = await new Caller(first.url).start(trainingConfig(dataset, { training: { epochs: 6 } }))
  await new Caller(first.url).until(jobId, ({ epoch }) => epoch >= 1)
  await first.kill()
  const second = await start(dataDir, flags)
  try {
    const caller = new Caller(second.url)
    const job = await caller.ended(jobId)
    expect(job).toMatchObject({ status: 'completed', attempt: 1 })
    expect(weightsOf(job)).toBe(undisturbed.weights)
    const { messages } = await caller.listen(jobId, '?since=0')
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
    const epochs = messages.filter(({ type }) => type === 'epoch_end').map(({ epoch }) => epoch)
    expect(epochs).toEqual([1, 2, 3, 4, 5, 6])
  } finally {
    await second.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

async function trained(flags: readonly string[], epochs = 2): Promise<{ job: Job; weights: string }> {
  const dataDir = temporaryFolder('exchange-data')
  const service = await start(dataDir, flags)
  try {
    const caller = new Caller(service.url)
    const job = await caller.ended(await caller.start(trainingConfig(dataset, { training: { epochs } })))
    expect(job, JSON.stringify(job.error)).toMatchObject({ status: 'completed' })
    return { job, weights: weightsOf(job) }
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function start(dataDir: string, flags: readonly string[]): Promise<RunningService> {
  return startService({ roots: [dirname(dataset)], dataDir, arguments: [...flags] })
}

/** Digest of the best model. */
function weightsOf({ run_dir }: Job): string {
  return JSON.parse(readFileSync(join(run_dir, 'checkpoints/best/checkpoint.json'), 'utf8')).files.model
    .sha256
}
