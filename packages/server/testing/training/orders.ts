import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TrainingConfig } from '@medloom/contracts'
import { fileExchanges } from '../../src/launchers/exchange/file-exchange.js'
import { RunDirectory } from '../../src/storage/run-directory.js'
import { type LauncherSubject, ONE_PROCESS } from './launcher-contract.js'

/** Orders for trainers that share `folder` with the service, for the contract tests of launchers. */
export function ordersIn(folder: string) {
  const run = (jobId: string) => new RunDirectory(join(folder, 'runs', jobId))
  const exchange = fileExchanges({ folder: { run, cache: join(folder, 'cache') }, roots: [folder] })
  const orders = {
    async order() {
      const job_id = randomUUID()
      const config = TrainingConfig.parse({
        data: { train_csv: join(folder, 'train.csv') },
        model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
        training: { epochs: 100_000, batch_size: 4, device: 'cpu' },
      })
      const spec = { job_name: 'contract', attempt: 1, config, resumed_from: null }
      return { job_id, attempt: 1, resources: ONE_PROCESS, ...(await exchange(job_id).putSpec(spec)) }
    },
    beginnings({ job_id, attempt }) {
      try {
        return readFileSync(run(job_id).events(attempt), 'utf8').split('"preparing"').length - 1
      } catch {
        return 0
      }
    },
    finish: ({ job_id, attempt }) => exchange(job_id).sendRequest(attempt, 'stop'),
  } satisfies Pick<LauncherSubject, 'order' | 'beginnings' | 'finish'>
  return { run, ...orders }
}
