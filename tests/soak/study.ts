import './end-on-signal.js'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { Study, StudyConfigInput, StudyJob } from '@medloom/contracts'
import Libsql from 'libsql'
import { registerCleanup } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'
import { Promises } from './promises.js'
import { randomOf } from './random.js'

/**
 * Runs a study twice: once undisturbed, and once while its service, or its service and the trainer, are killed with SIGKILL at random
 * moments. Both must end equally: every training once, with the same predictions, and the same results.
 *
 *     npm run soak:study -- [--kills 10] [--seeds 5] [--folds 5] [--trials 0] [--seed 1]
 */
export interface StudySoakOptions {
  readonly kills: number
  readonly study: StudyConfigInput
  /** Folder of the dataset, inside the root. */
  readonly dataset: string
  readonly seed?: number
  readonly promises?: Promises
  readonly log?: (line: string) => void
}

export interface StudySoaked {
  readonly trainings: number
  readonly kills: number
  /** Jobs in addition to the first of each training: those that continued after their trainer was killed. */
  readonly resumed: number
}

export async function soakStudy(options: StudySoakOptions): Promise<StudySoaked> {
  const { promises = new Promises(), log = () => {}, seed = 1, kills, dataset, study } = options
  const calm = new StudyService(dataset)
  const disturbed = new StudyService(dataset)
  try {
    await calm.open()
    const expected = await calm.ended(await calm.start(study))
    promises.check('an undisturbed study completes', expected.status === 'completed', expected.message)
    await calm.close()
    log(`undisturbed: ${expected.progress.completed} trainings`)

    await disturbed.open()
    const id = await disturbed.start(study)
    const done = await disturb(disturbed, id, { kills, random: randomOf(seed), log })
    promises.check('the study is killed as often as it should be', done === kills, `${done} of ${kills}`)
    const found = await disturbed.ended(id)
    promises.check('a killed study completes', found.status === 'completed', found.message)
    promises.check(
      'no training is lost or trained twice',
      found.jobs.every(
        ({ status, attempts }) =>
          status === 'pruned' || attempts.filter((one) => one.status === 'completed').length === 1,
      ) && (await disturbed.jobs()) === found.jobs.reduce((sum, { attempts }) => sum + attempts.length, 0),
    )
    for (const [index, job] of found.jobs.entries())
      promises.check(
        'a training predicts the same, bit for bit',
        disturbed.predictions(job) === calm.predictions(expected.jobs[index] as StudyJob) &&
          isDeepStrictEqual(searchedBy(job), searchedBy(expected.jobs[index] as StudyJob)),
        `training ${index}: ${JSON.stringify(job)}`,
      )
    promises.check('the results are the same', isDeepStrictEqual(outcomeOf(found), outcomeOf(expected)))
    const jobs = found.jobs.reduce((sum, { attempts }) => sum + attempts.length, 0)
    return { trainings: found.jobs.length, kills: done, resumed: jobs - found.jobs.length }
  } finally {
    await calm.remove()
    await disturbed.remove()
  }
}

/** Held-out predictions of a training, as written in the file; null for one that ended early. */
export function heldOutPredictions(dataDir: string, { job_id, status }: StudyJob): string | null {
  if (status === 'pruned') return null
  return readFileSync(join(dataDir, 'runs', String(job_id), 'metrics/held-out-predictions.csv'), 'utf8')
}

/** Settings and results of the trials: the same however often the study was killed. */
function searchedBy({ trial, settings, value, status }: StudyJob) {
  return { trial, settings, value, status }
}

/** Results of a study: the same wherever its trainings ran, and however often they were interrupted. */
export function outcomeOf({ variants, comparisons, search }: Study) {
  const choices = search?.choices.map(({ best, ...choice }) => ({
    ...choice,
    best: best && { ...best, job_id: null },
  }))
  return { variants, comparisons, choices }
}

/** Kills until the count is reached or the study has ended. @returns number of kills */
async function disturb(
  service: StudyService,
  id: string,
  { kills, random, log }: { kills: number; random: () => number; log: (line: string) => void },
): Promise<number> {
  for (let kill = 1; kill <= kills; kill++) {
    const { progress } = await service.status(id)
    // Spread over the study: each kill waits for its share of the progress.
    const share = (kill - 0.5) / (kills + 1)
    if (progress.fraction < share && !(await service.reached(id, share))) return kill - 1
    await delay(random() * 300)
    const both = kill % 2 === 0
    await service.kill(both)
    await delay(random() * 500)
    await service.open()
    log(
      `kill ${kill} (${both ? 'service and trainer' : 'service'}) at ${Math.round(progress.fraction * 100)} %`,
    )
  }
  return kills
}

/** A separate service on this machine for one study. */
export class StudyService {
  readonly dataDir = temporaryFolder('soak-study')
  #service: RunningService | undefined
  #caller = new Caller('')

  constructor(readonly dataset: string) {}

  async open(): Promise<void> {
    this.#service = await startService({
      roots: [dirname(this.dataset)],
      dataDir: this.dataDir,
      prewarm: true,
    })
    this.#caller = new Caller(this.#service.url)
  }

  async start(study: StudyConfigInput): Promise<string> {
    const { status, body } = await this.#caller.post('/api/studies', study)
    if (status !== 200) throw new Error(`the study was refused: ${JSON.stringify(body)}`)
    return String(body.study_id)
  }

  status = async (id: string): Promise<Study> => (await this.#caller.get<Study>(`/api/studies/${id}`)).body

  ended = (id: string) => this.#until(id, ({ status }) => status !== 'running')

  /** @returns false if the study ended first. */
  async reached(id: string, fraction: number): Promise<boolean> {
    const { status } = await this.#until(
      id,
      ({ status, progress }) => status !== 'running' || progress.fraction >= fraction,
    )
    return status === 'running'
  }

  jobs = async (): Promise<number> =>
    (await this.#caller.get<{ jobs: unknown[] }>('/api/training?page_size=1000')).body.jobs.length

  predictions = (job: StudyJob) => heldOutPredictions(this.dataDir, job)

  async kill(trainers: boolean): Promise<void> {
    const pids = trainers ? this.#trainers() : []
    await this.#service?.kill()
    for (const pid of pids) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  }

  async close(): Promise<void> {
    await this.#service?.stop()
  }

  async remove(): Promise<void> {
    await this.close()
    for (const pid of this.#trainers()) if (existsSync(`/proc/${pid}`)) process.kill(-pid, 'SIGKILL')
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }

  /** Running trainers, as the service recorded them. */
  #trainers(): number[] {
    const file = join(this.dataDir, 'medloom.db')
    if (!existsSync(file)) return []
    const database = new Libsql(file)
    const rows = database.prepare('SELECT handle FROM jobs WHERE handle IS NOT NULL').all() as {
      handle: string
    }[]
    database.close()
    return rows.flatMap(({ handle }) => JSON.parse(handle).pid ?? [])
  }

  async #until(id: string, reached: (study: Study) => boolean): Promise<Study> {
    for (;;) {
      const study = await this.status(id)
      if (reached(study)) return study
      await delay(100)
    }
  }
}

/** Some of its trials are worse than the others from the first epoch on, and end early. */
function tinySearch(trials: number): NonNullable<StudyConfigInput['search']> {
  return {
    ...{ sampler: 'tpe', trials, pruner: 'median', startup_trials: 2, warmup_epochs: 2 },
    space: {
      'training.learning_rate': { low: 1e-5, high: 0.03, log: true },
      'model.dropout': [0, 0.3],
    },
  }
}

/**
 * Two ensemble variants of the table only, on `folds` folds with this many seeds: each training takes about a second. With
 * `trials` a search as well.
 */
export function tinyStudy(dataset: string, seeds: number, folds: number, trials = 0): StudyConfigInput {
  return {
    name: 'soak',
    config: trainingConfig(dataset, {
      model: { vision_backbone: 'none', members: 2 },
      training: { epochs: 6 },
    }),
    seeds,
    // These predictions come from scikit-learn, which a kill does not interrupt.
    baselines: [],
    folds: { k: folds },
    variants: [
      { name: 'narrow', config: { model: { hidden_dim: 8 } } },
      { name: 'wide', config: { model: { hidden_dim: 16 } } },
    ],
    ...(trials === 0 ? {} : { search: tinySearch(trials) }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '10' },
      seeds: { type: 'string', default: '5' },
      folds: { type: 'string', default: '5' },
      trials: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
    },
  })
  const dataset = makeDataset(join(temporaryFolder('soak-data'), 'synthetic'), { cases: 120 })
  const promises = new Promises()
  const table = () => console.log(`\n${promises.table()}`)
  const ended = registerCleanup(table)
  try {
    const study = tinyStudy(dataset, Number(values.seeds), Number(values.folds), Number(values.trials))
    const soaked = await soakStudy({
      ...{ study, dataset, promises, log: console.log },
      kills: Number(values.kills),
      seed: Number(values.seed),
    })
    console.log(`${soaked.trainings} trainings, ${soaked.kills} kills, ${soaked.resumed} trainings resumed`)
  } finally {
    ended()
    table()
    rmSync(dirname(dataset), { recursive: true, force: true })
  }
}
