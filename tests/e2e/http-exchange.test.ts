// @module-tag service
// @module-tag full

import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Job } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const { dataset } = shared

test('a training that shares no folder with the service ends with the bits of one that does', async () => {
  const together = await trained(['--exchange', 'folder'])
  const apart = await trained(['--exchange', 'http'])
  expect(apart.weights).toBe(together.weights)
  expect(apart.job.metrics).toEqual(together.job.metrics)
})

async function trained(flags: readonly string[]): Promise<{ job: Job; weights: string }> {
  const dataDir = temporaryFolder('exchange-data')
  const service = await start(dataDir, flags)
  try {
    const caller = new Caller(service.url)
    const job = await caller.ended(await caller.start(trainingConfig(dataset, { training: { epochs: 2 } })))
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
