import { join } from 'node:path'
import type { StudyConfigInput } from '@medloom/contracts'
import { readStudyFile } from '../../../packages/cli/src/config/study-file.js'
import { hasPad, PAD } from '../../testing/dataset.js'
import { REPOSITORY } from '../../testing/service.js'
import type { Promises } from '../promises.js'
import { loseController } from './controller.js'
import type { Deployment } from './deployment.js'
import { checkSameStudy } from './study.js'

export const padAbsent = () => (hasPad ? undefined : `there is no ${PAD}`)
export const PAD_DATA = PAD

/** Twelve trainings with images of two epochs each: six ways to join image and table, on two folds. */
const REDUCED = ['seeds=1', 'folds.k=2', 'config.training.epochs=2']

/**
 * The study of PAD-UFES-20 on two nodes. The controller is killed, and then a node is lost.
 * @param settings keys of the study that differ from the reduced one, "a.b=value"
 */
export async function padSurvives(
  deployment: Deployment,
  promises: Promises,
  settings: readonly string[],
): Promise<string> {
  let seconds = 0
  const seen = await checkSameStudy(deployment, promises, joined(settings), async (reached) => {
    await reached(0.25)
    seconds = await loseController(deployment, promises)
    await reached(0.5)
    await deployment.loseNode(deployment.nodeOfTraining(join(deployment.dataDir, 'runs')))
  })
  return `controller replaced after ${seconds.toFixed(1)} s, then a node lost; ${seen}`
}

/** The variants that read image and table: the others train faster, and cross less of the code. */
function joined(settings: readonly string[]): StudyConfigInput {
  const table = `config.data.train_csv=${join(PAD, 'data.csv')}`
  const file = join(REPOSITORY, 'examples/studies/pad-ufes-20.yaml')
  const study = readStudyFile(file, [table, ...REDUCED, ...settings]).study as StudyConfigInput
  const alone = ['image alone', 'table alone']
  return { ...study, variants: study.variants?.filter(({ name }) => !alone.includes(name)) ?? [] }
}
