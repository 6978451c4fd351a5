import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Job } from '@medloom/contracts'
import { Caller } from '../../testing/http.js'
import { startService, temporaryFolder } from '../../testing/service.js'
import type { Promises } from '../promises.js'
import type { Deployment } from './deployment.js'

/** A training, and its outcome on the deployment. */
export interface EndedThere {
  readonly config: object
  readonly job: Job
}

/** Repeats the trainings on this machine with a SQLite database: each produces the same weights and epochs, bit for bit. */
export async function checkSameHere(
  deployment: Deployment,
  promises: Promises,
  trainings: readonly EndedThere[],
): Promise<void> {
  const dataDir = temporaryFolder('soak-here')
  const service = await startService({ roots: [dirname(deployment.options.dataset)], dataDir, prewarm: true })
  try {
    const caller = new Caller(service.url)
    for (const { config, job } of trainings) {
      const here = await caller.ended(await caller.start(config), HOURS * 3600)
      promises.check('a training on this machine alone completes', here.status === 'completed')
      promises.check('it has the weights of this machine, bit for bit', same(job, here, weightsOf))
      promises.check('it has the epochs of this machine, bit for bit', same(job, here, epochsOf))
    }
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

const HOURS = 2

function same(there: Job, here: Job, part: (job: Job) => unknown): boolean {
  return isDeepStrictEqual(part(there), part(here))
}

/** Digests of the parameters after the best and after the last epoch. */
function weightsOf({ run_dir }: Job): string[] {
  return ['best', 'last'].map((name) => {
    const manifest = readFileSync(join(run_dir, 'checkpoints', name, 'checkpoint.json'), 'utf8')
    return String(JSON.parse(manifest).files.model.sha256)
  })
}

/** Results of each epoch. */
function epochsOf({ run_dir }: Job): unknown {
  return JSON.parse(readFileSync(join(run_dir, 'metrics/metrics.json'), 'utf8')).epochs
}
