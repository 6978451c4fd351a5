/** @module-tag service */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '@medloom/contracts'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migratedFile } from '../../testing/migrated-file.js'
import {
  configOf,
  EVALUATION_FILE,
  insertJob,
  JOB,
  modelOf,
  noEnsembles,
  writeCheckpoint,
} from '../../testing/models.js'
import { schedulerOf } from '../../testing/training/scheduler-of.js'
import { until } from '../../testing/training/until.js'
import { workerProgram } from '../../testing/worker-program.js'
import { openDatabase } from '../database/database.js'
import { createRoots } from '../security/roots.js'
import { openDataFolder } from '../storage/data-folder.js'
import { createTaskPool } from '../worker/task-pool.js'
import { registerModel } from './models.repository.js'
import { ModelsService } from './models.service.js'

const never = new AbortController().signal

/** The name of the table selects the behavior of the worker. */
const WORKER = `
if (request.task !== 'evaluate') return
const doing = request.params.csv.split('/').at(-1)
fs.writeFileSync(request.params.csv + '.device', request.params.device)
if (doing === 'refused.csv')
  return reply({ type: 'error', id: request.id, code: 'CSV_MALFORMED', message: 'row 2', details: '', trace: null })
if (doing === 'crash.csv') process.exit(3)
if (doing === 'forever.csv') return
const result = JSON.parse(fs.readFileSync(${JSON.stringify(EVALUATION_FILE)}, 'utf8'))
fs.writeFileSync(request.params.out_dir + '/evaluation.json', JSON.stringify(result))
reply({ type: 'result', id: request.id, result })`

let base: string
let close: () => Promise<void>
let service: ModelsService
let machine: ReturnType<typeof schedulerOf>

/** A model that was trained on the only accelerator of its machine. */
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-slots-')))
  const root = join(base, 'root')
  mkdirSync(root)
  for (const doing of ['good', 'refused', 'crash', 'forever'])
    writeFileSync(join(root, `${doing}.csv`), 'label\n')
  const folder = await openDataFolder(join(base, 'data'))
  const database = await openDatabase(await migratedFile(folder.database))
  const log = pino({ level: 'silent' })
  const pool = createTaskPool({ python: workerProgram(base, WORKER), logs: folder.logs, log })
  const config = configOf({}, 'cuda:0')
  const job_id = await insertJob(database, config)
  await database.transaction().execute((transaction) => registerModel(transaction, modelOf(job_id)))
  writeCheckpoint(folder.run(job_id).checkpoint('best'), job_id, 2)
  machine = schedulerOf('cuda:0')
  const job = { ...JOB, job_id, config } as Job
  const roots = createRoots([root], folder.path)
  service = new ModelsService(
    { database, folder, pool, roots, log },
    { job: async () => job, slots: machine, ...noEnsembles },
    { prepare: () => undefined },
  )
  close = async () => {
    machine.close()
    await pool.close()
    await database.destroy()
    await folder.close()
    rmSync(base, { recursive: true, force: true })
  }
})
afterEach(() => close())

const evaluate = (table: string, signal = never) =>
  service.evaluate(
    'latest',
    { split: 'test', test_csv: `${table}.csv`, calibrated: false, with_images: false, with_saliency: false },
    { signal },
  )
const deviceFile = (table: string) => join(base, 'root', `${table}.csv.device`)
const deviceOf = (table: string) => readFileSync(deviceFile(table), 'utf8')

test('an evaluation uses the accelerator of the training while it runs', async () => {
  const abort = new AbortController()
  const evaluation = evaluate('forever', abort.signal)
  const ended = expect(evaluation).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  await until(() => existsSync(deviceFile('forever')) && deviceOf('forever') === 'cuda:0')
  expect(await machine.tryAcquire('auto')).toBeNull()
  abort.abort()
  await ended
  expect(await machine.tryAcquire('auto')).not.toBeNull()
})

test('without a free one it runs on the CPU, with a warning', async () => {
  const slot = await machine.tryAcquire('auto')
  const { warnings, report_path } = await evaluate('good')
  expect(deviceOf('good')).toBe('cpu')
  expect(warnings.map(({ code }) => code)).toContain('EVALUATED_ON_CPU')
  expect(readFileSync(report_path, 'utf8')).toContain('the evaluation ran on the CPU')
  slot?.release()
})

test.each([
  ['a result', 'good', null],
  ['a refusal', 'refused', 'CSV_MALFORMED'],
  ['the death of its worker', 'crash', 'TRAINER_FAILED'],
])('after %s its slot is free', async (_, table, code) => {
  const ending = await evaluate(table).then(
    ({ warnings }) => warnings.find((warning) => warning.code === 'EVALUATED_ON_CPU') ?? null,
    (error) => error.code,
  )
  expect([ending, deviceOf(table)]).toEqual([code, 'cuda:0'])
  expect(await machine.tryAcquire('auto')).not.toBeNull()
})
