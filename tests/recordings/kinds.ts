import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, Study } from '@medloom/contracts'
import type { Caller } from '../testing/http.js'
import { trainingConfig } from '../testing/training.js'

/** Arguments of examples/make_dataset.py. */
export const DATASET_OPTIONS = { cases: 60, size: 32, seed: 0 }
export const LABELS = ['nodule', 'effusion', 'oedema']

/** A job whose run directory is recorded. */
export interface RecordedJob {
  readonly key: string
  readonly jobId: string
}

interface Making {
  readonly caller: Caller
  /** The folder of the dataset, with train.csv, val.csv, test.csv and the tables below. */
  readonly dataset: string
}

/** Creates each kind: returns the trainings that it starts, once they have ended. */
export const KINDS: Readonly<Record<string, (making: Making) => Promise<RecordedJob[]>>> = {
  classification: ({ caller, dataset }) => single(caller, trainingConfig(dataset, TABLE)),
  'one-class': ({ caller, dataset }) =>
    single(caller, trainingConfig(dataset, { ...TABLE, data: { val_csv: join(dataset, 'one-class.csv') } })),
  baselines: ({ caller, dataset }) =>
    single(caller, { ...trainingConfig(dataset, TABLE), baselines: ['logistic_regression'] }),
  regression: ({ caller, dataset }) =>
    single(caller, {
      ...trainingConfig(dataset, TABLE),
      data: { train_csv: join(dataset, 'regression.csv'), label_column: 'score' },
    }),
  survival: ({ caller, dataset }) =>
    single(caller, {
      ...trainingConfig(dataset, TABLE),
      data: { train_csv: join(dataset, 'survival.csv'), time_column: 'days', event_column: 'dead' },
    }),
  multilabel: ({ caller, dataset }) =>
    single(caller, {
      ...trainingConfig(dataset, TABLE),
      data: { train_csv: join(dataset, 'several-labels.csv'), label_columns: LABELS },
    }),
  stopped: async ({ caller, dataset }) => {
    const jobId = await caller.start(
      trainingConfig(dataset, { ...TABLE, training: { epochs: 2000, seed: 1 } }),
      'stopped',
    )
    await caller.until(jobId, ({ epoch }) => epoch >= 3)
    await caller.post(`/api/training/${jobId}/stop`)
    return [await recorded(caller, jobId, 'stopped')]
  },
  resumed: async ({ caller, dataset }) => {
    const config = trainingConfig(dataset, { ...TABLE, training: { epochs: 60, seed: 2 } })
    const first = await caller.start(config, 'resumed')
    await caller.until(first, ({ epoch }) => epoch >= 3)
    await caller.post(`/api/training/${first}/stop`)
    await caller.ended(first)
    const { body } = await caller.post<{ job_id: string }>(`/api/training/${first}/resume`, {})
    return [await recorded(caller, body.job_id, 'completed')]
  },
  failed: ({ caller, dataset }) =>
    single(
      caller,
      trainingConfig(dataset, {
        ...TABLE,
        training: { learning_rate: 10, optimizer: 'sgd', gradient_clip: null, epochs: 40 },
      }),
      'failed',
    ),
  study: ({ caller, dataset }) =>
    study(caller, {
      config: trainingConfig(dataset, TABLE),
      seeds: 1,
      folds: { k: 2 },
      baselines: [],
      variants: [{ name: 'wider', config: { model: { hidden_dim: 32 } } }],
    }),
  ensemble: async ({ caller, dataset }) => {
    const seeds = [1, 2]
    const members = await Promise.all(
      seeds.map((seed) => caller.start(trainingConfig(dataset, { ...TABLE, training: { seed } }), 'member')),
    )
    for (const jobId of members) await recorded(caller, jobId, 'completed')
    return members.map((jobId, index) => ({ key: `seed ${seeds[index]}`, jobId }))
  },
  search: ({ caller, dataset }) =>
    study(caller, {
      config: trainingConfig(dataset, TABLE),
      search: {
        name: 'searched',
        sampler: 'random',
        trials: 2,
        space: { 'training.learning_rate': { low: 0.0001, high: 0.03, log: true } },
      },
    }),
}

const TABLE = { model: { vision_backbone: 'none' } } as const

async function single(caller: Caller, config: object, status = 'completed'): Promise<RecordedJob[]> {
  return [await recorded(caller, await caller.start(config, 'recorded'), status)]
}

async function recorded(caller: Caller, jobId: string, status: string): Promise<RecordedJob> {
  const job: Job = await caller.ended(jobId)
  if (job.status !== status) throw new Error(`the job ended with ${job.status}: ${JSON.stringify(job.error)}`)
  return { key: '', jobId }
}

async function study(caller: Caller, body: object): Promise<RecordedJob[]> {
  return jobsOf(await studyOf(caller, body))
}

async function studyOf(caller: Caller, body: object): Promise<Study> {
  const answer = await caller.post<Study>('/api/studies', { name: 'recorded', ...body })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const ended = await caller.studyEnded(answer.body.study_id)
  if (ended.status !== 'completed') throw new Error(`the study ended with ${ended.status}: ${ended.message}`)
  return ended
}

function jobsOf({ jobs }: Study): RecordedJob[] {
  return jobs.map(({ variant, fold, seed, trial, job_id }, index) => ({
    key: JSON.stringify([index, variant, seed, fold, trial]),
    jobId: String(job_id),
  }))
}

/** Tables of other outcomes, in addition to those of the generator. */
export function writeTables(dataset: string): void {
  writeFileSync(join(dataset, 'one-class.csv'), ofOneClass(readFileSync(join(dataset, 'val.csv'), 'utf8')))
  const write = (name: string, header: string, rows: string[]) =>
    writeFileSync(join(dataset, name), [header, ...rows, ''].join('\n'))
  const numberOf = (row: number, prime: number) => ((row * prime * 13) % 101) / 50 - 1
  const split = (row: number) => (row < 80 ? 'train' : row < 110 ? 'val' : 'test')
  const rows = Array.from({ length: 150 }, (_, row) => row)
  write(
    'regression.csv',
    'patient_id,a,b,score,split',
    rows.map((row) => {
      const [a, b] = [numberOf(row, 3), numberOf(row, 5)]
      return `p${row},${a},${b},${(2 * a - b + ((row % 7) - 3) / 8).toFixed(3)},${split(row)}`
    }),
  )
  write(
    'survival.csv',
    'patient_id,a,b,days,dead,split',
    rows.map((row) => {
      const a = numberOf(row, 3)
      const days = Math.round(200 * Math.exp(-a) * (0.3 + ((row * 53) % 97) / 97)) + 1
      const end = 40 + ((row * 29) % 300)
      return `p${row},${a},${(row * 7) % 13},${Math.min(days, end)},${days <= end ? 1 : 0},${split(row)}`
    }),
  )
  write(
    'several-labels.csv',
    `patient_id,a,b,c,sex,${LABELS.join(',')},split`,
    rows.map((row) => {
      const numbers = [3, 5, 7].map((prime) => numberOf(row, prime))
      const labels = numbers.map((number, index) =>
        (row + index) % 17 === 0 ? '' : number + ((row % 7) - 3) / 8 > 0.1 * index ? 'yes' : 'no',
      )
      return [`p${row}`, ...numbers, row % 2 ? 'f' : 'm', ...labels, split(row)].join(',')
    }),
  )
}

/** The rows whose label is that of the first row: they have no AUC. */
export function ofOneClass(table: string): string {
  const [head = '', ...rows] = table.trimEnd().split('\n')
  const label = head.split(',').indexOf('label')
  const classOf = (row: string) => row.split(',')[label]
  return [head, ...rows.filter((row) => classOf(row) === classOf(rows[0] ?? ''))].join('\n')
}
