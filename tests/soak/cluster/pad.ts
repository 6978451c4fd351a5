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

/** Twelve image trainings of two epochs each: six fusion methods on two folds. */
const REDUCED = ['seeds=1', 'folds.k=2', 'config.training.epochs=2']

export interface PadSizes {
  /** All variants of the study file, on all its folds and seeds. */
  readonly whole: boolean
  /** Changed keys of the study, "a.b=value". */
  readonly settings: readonly string[]
  /** Changed keys of the part that is also trained only on this machine; none: the whole study. */
  readonly here: readonly string[]
}

/** The study of PAD-UFES-20 on two nodes. The controller is killed, followed by the loss of a node. */
export async function padSurvives(
  deployment: Deployment,
  promises: Promises,
  { whole, settings, here }: PadSizes,
): Promise<string> {
  let seconds = 0
  const read = (...others: string[]) => {
    const study = readStudy([...(whole ? [] : REDUCED), ...settings, ...others])
    return whole ? study : joined(study)
  }
  const seen = await checkSameStudy(deployment, promises, {
    study: read(),
    ...(here.length > 0 ? { here: read(...here) } : {}),
    async strike(reached) {
      await reached(0.25)
      seconds = await loseController(deployment, promises)
      await reached(0.5)
      await deployment.loseNode(deployment.nodeOfTraining(join(deployment.dataDir, 'runs')))
    },
  })
  return `controller replaced after ${seconds.toFixed(1)} s, then a node lost; ${seen}`
}

/** @param settings changed keys of the study file, "a.b=value" */
function readStudy(settings: readonly string[]): StudyConfigInput {
  const file = join(REPOSITORY, 'examples/studies/pad-ufes-20.yaml')
  const table = `config.data.train_csv=${join(PAD, 'data.csv')}`
  return readStudyFile(file, [table, ...settings]).study as StudyConfigInput
}

/** Variants that read image and table: the others train faster and cover less code. */
function joined(study: StudyConfigInput): StudyConfigInput {
  const alone = ['image alone', 'table alone']
  return { ...study, variants: study.variants?.filter(({ name }) => !alone.includes(name)) ?? [] }
}
