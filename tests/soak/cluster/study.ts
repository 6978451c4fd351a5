import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Study, StudyConfigInput, StudyJob } from '@medloom/contracts'
import type { Promises } from '../promises.js'
import { heldOutPredictions, outcomeOf, StudyService, tinyStudy } from '../study.js'
import { type Deployment, LAST_NODE } from './deployment.js'

/** Trainings per seed of the study: two variants on five folds. */
const TRAININGS_OF_A_SEED = 10

/** A study of this many trainings of one second each, on two nodes, one of which is lost while it runs. */
export function studyLosesNode(
  deployment: Deployment,
  promises: Promises,
  trainings: number,
): Promise<string> {
  const study = tinyStudy(deployment.options.dataset, Math.ceil(trainings / TRAININGS_OF_A_SEED), 5)
  return checkSameStudy(deployment, promises, {
    study,
    async strike(reached) {
      await reached(0.3)
      await deployment.loseNode(LAST_NODE)
    },
  })
}

/** Progress of the study on the deployment. */
export type Reached = (fraction: number) => Promise<Study>

export interface SameStudy {
  readonly study: StudyConfigInput
  /** The part that is also trained only on this machine; absent: the whole study. */
  readonly here?: StudyConfigInput
  /** Breaks the deployment; `reached` waits until this share of the study is done. */
  readonly strike: (reached: Reached) => Promise<void>
}

/** A study on a deployment that is broken meanwhile ends with the same predictions, bit for bit, as on this machine. */
export async function checkSameStudy(
  deployment: Deployment,
  promises: Promises,
  { study, here = study, strike }: SameStudy,
): Promise<string> {
  const calm = new StudyService(deployment.options.dataset)
  try {
    await calm.open()
    const began = performance.now()
    const expected = await calm.ended(await calm.start(here))
    const minutes = (performance.now() - began) / 60_000
    promises.check('a study on this machine alone completes', expected.status === 'completed')
    await calm.close()
    const { status, body } = await deployment.api(0).post('/api/studies', { ...study, parallel: 4 })
    if (status !== 200) throw new Error(`the study was refused: ${JSON.stringify(body)}`)
    const reached = (fraction: number) => untilReached(deployment, String(body.study_id), fraction)
    await strike(reached)
    const found = await reached(ALL)
    promises.check('a study that lost a node completes', found.status === 'completed', found.message)
    const there = new Map(found.jobs.map((job) => [placeOf(job), job]))
    const differs = expected.jobs.find((job) => {
      const same = there.get(placeOf(job))
      return !same || heldOutPredictions(deployment.dataDir, same) !== calm.predictions(job)
    })
    promises.check(
      'each of its trainings predicts the same, bit for bit',
      differs === undefined,
      JSON.stringify(differs),
    )
    if (here === study)
      promises.check(
        'its results are those of this machine alone',
        isDeepStrictEqual(outcomeOf(found), outcomeOf(expected)),
      )
    const [again] = await deployment.select<{ count: string }>(
      'SELECT count(*) AS count FROM jobs WHERE attempt > 1',
    )
    const alone = `${expected.jobs.length} of them here too, ${minutes.toFixed(1)} min`
    return `${found.jobs.length} trainings (${alone}), ${again?.count} went on in a later attempt; ${valuesOf(found)}`
  } finally {
    await calm.remove()
  }
}

/** Identifies a training of a study. */
function placeOf({ variant, seed, repeat, fold, trial }: StudyJob): string {
  return JSON.stringify([variant, seed, repeat, fold, trial])
}

/** Results of each variant, pooled over its trainings. */
function valuesOf({ metric, variants }: Study): string {
  const values = variants.map(({ name, metrics }) => `${name} ${metrics[metric]?.estimate?.toFixed(3)}`)
  return `${metric}: ${values.join(', ')}`
}

/** More than the whole: the study has ended. */
const ALL = 2

async function untilReached(deployment: Deployment, id: string, fraction: number): Promise<Study> {
  for (;;) {
    const study = await deployment
      .api(1)
      .get<Study>(`/api/studies/${id}`)
      .catch(() => null)
    const { status, body } = study ?? {}
    if (status === 200 && body && (body.status !== 'running' || body.progress.fraction >= fraction))
      return body
    await delay(500)
  }
}
