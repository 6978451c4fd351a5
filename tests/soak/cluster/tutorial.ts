import { join } from 'node:path'
import { readConfigFile } from '../../../packages/cli/src/config/config-file.js'
import { makeDataset } from '../../testing/dataset.js'
import { REPOSITORY, temporaryFolder } from '../../testing/service.js'
import type { Promises } from '../promises.js'
import { loseService } from './controller.js'
import type { Deployment } from './deployment.js'
import type { Load } from './load.js'
import { checkSameHere } from './same-here.js'

/** Data of "npm run demo", with which the tutorial starts. */
export function makeTutorialData(): string {
  return makeDataset(join(temporaryFolder('tutorial'), 'synthetic'), { cases: 800, size: 64 })
}

/**
 * Trainings of the tutorial, one on the table only and one on image and table. During the second one the service is killed, followed by the
 * loss of the node on which it trains.
 */
export async function tutorialSurvives(
  deployment: Deployment,
  load: Load,
  promises: Promises,
): Promise<string> {
  const table = configOf(deployment, 'synthetic-table-only.yaml', 'training.epochs=5')
  const fusion = configOf(deployment, 'synthetic-fusion.yaml')
  const first = await load.train(table)
  const second = await load.train(fusion, 1)
  await load.until(second, ({ epoch }) => epoch >= 2, SECONDS)
  const seconds = await loseService(deployment, promises)
  const lost = await load.until(second, ({ epoch }) => epoch >= 4, SECONDS)
  await deployment.loseNode(deployment.nodeOfTraining(lost.run_dir))
  const job = await load.ended(second, SECONDS)
  promises.check('it goes on from its last checkpoint', job.attempt === 2, `attempt ${job.attempt}`)
  await checkSameHere(deployment, promises, [
    { config: table, job: await load.ended(first) },
    { config: fusion, job },
  ])
  return `service replaced after ${seconds.toFixed(1)} s, node lost after epoch ${lost.epoch}, weights and epochs of this machine`
}

const SECONDS = 3600

/** The configuration with the tables of the deployment instead of those of the demo. */
function configOf({ options }: Deployment, file: string, ...settings: readonly string[]): object {
  const tables = ['train', 'val', 'test'].map(
    (split) => `data.${split}_csv=${join(options.dataset, `${split}.csv`)}`,
  )
  return readConfigFile(join(REPOSITORY, 'examples/configs', file), [...tables, ...settings]).config
}
