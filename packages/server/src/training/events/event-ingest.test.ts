import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobMessage, TrainingConfig } from '@medloom/contracts'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../database/database.js'
import { DatabaseError } from '../../database/database-error.js'
import type { RunExchanges, TerminalEvent } from '../../launchers/exchange/run-exchange.js'
import { registerModel } from '../../models/models.repository.js'
import { isDiskFull } from '../../storage/files.js'
import { StoredPaths } from '../configuration/stored-paths.js'
import { TrainingRepository } from '../training.repository.js'
import { EventIngest, type RegisterModel } from './event-ingest.js'

const TIME = '2026-01-02T03:04:05.000Z'
const JOB = 'job-1'
const END = {
  type: 'completed',
  timestamp: TIME,
  attempt: 1,
  status: 'completed',
  reason: 'all epochs were trained',
  epoch: 2,
  metrics: { val_loss: 0.5 },
  best: null,
  best_checkpoint: '/run/checkpoints/best',
  duration_seconds: 1,
}
const exchange = (() => ({
  checkpoint: async () => ({ job_id: JOB, attempt: 1, metrics: { val_auc: 0.8 } }),
  localPath: (name: string) => `/run/checkpoints/${name}`,
})) as unknown as RunExchanges

let database: Database
let repository: TrainingRepository
let told: JobMessage[]

beforeEach(async () => {
  database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'medloom-ingest-')), 'medloom.db'))
  repository = new TrainingRepository(database, new StoredPaths([]))
  told = []
  const config = TrainingConfig.parse({
    data: { train_csv: '/train.csv' },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
    training: { epochs: 2, batch_size: 4 },
  })
  const job = {
    job_id: JOB,
    job_name: 'one',
    config,
    epoch: 0,
    total_epochs: 2,
    resumed_from: null,
    fine_tuned_from: null,
  }
  await repository.insert({ ...job, created_at: TIME })
  const prepared = JSON.stringify({
    task: 'classification',
    classes: ['a', 'b'],
    parameters: 1,
    data_digests: {},
  })
  await database
    .updateTable('jobs')
    .set({ status: 'running', attempt: 1, started_at: TIME, prepared })
    .execute()
})
afterEach(() => database.destroy())

const ingest = (register: RegisterModel = registerModel, over = repository) =>
  new EventIngest({
    repository: over,
    exchange,
    registerModel: register,
    publish: (_jobId, messages) => told.push(...messages),
    log: pino({ level: 'silent' }),
  })
const known = async () => {
  const job = await repository.find(JOB)
  if (!job) throw new Error('there is no job')
  return job
}
const chunk = { start: 0, end: 100, lines: [JSON.stringify(END)] }

test('the end of a job, its message and its model are stored together', async () => {
  const job = await ingest().take(await known(), chunk)
  expect(job).toMatchObject({ status: 'completed', model_id: 'resnet18_gated_001' })
  expect(told).toMatchObject([{ type: 'completed', model_id: 'resnet18_gated_001', seq: 1 }])
  expect(await database.selectFrom('models').select('job_id').execute()).toEqual([{ job_id: JOB }])
})

test('a disk that is full at the end of a job leaves nothing of it; with room again the same lines end it', async () => {
  const pages = (max: number) => sql.raw(`PRAGMA max_page_count = ${max}`).execute(database)
  const withoutRoom: RegisterModel = async (transaction, model) => {
    await sql.raw('PRAGMA max_page_count = 1').execute(transaction)
    return registerModel(transaction, { ...model, job_name: 'x'.repeat(1_000_000) })
  }
  await expect(ingest(withoutRoom).take(await known(), chunk)).rejects.toSatisfy(isDiskFull)
  await pages(1_000_000)
  expect(told).toEqual([])
  expect(await repository.find(JOB)).toMatchObject({ status: 'running', events_offset: 0, last_seq: 0 })
  expect(await repository.messages(JOB, { since: 0, limit: 10 })).toEqual([])

  expect(await ingest().take(await known(), chunk)).toMatchObject({ status: 'completed', events_offset: 100 })
  expect(told).toMatchObject([{ type: 'completed', model_id: 'resnet18_gated_001', seq: 1 }])
})

test('a failure that a full disk keeps from being stored is known until it is', async () => {
  const pages = (max: number) => sql.raw(`PRAGMA max_page_count = ${max}`).execute(database)
  const over = new TrainingRepository(database, new StoredPaths([]))
  const full = { type: 'error' as const, timestamp: TIME, attempt: 1, epoch: 2, code: 'DISK_FULL' }
  const end = { ...full, message: 'no space left'.repeat(10_000), details: 'Free space.', trace: null }
  const lines = { ...chunk, lines: [JSON.stringify(end)] }
  const taking = ingest(registerModel, over)
  await pages(1)
  await expect(taking.take(await known(), lines)).rejects.toSatisfy(isDiskFull)
  expect(taking.unstoredFailure(JOB)).toMatchObject({ status: 'failed', error: { code: 'DISK_FULL' } })
  expect([told, (await known()).status]).toEqual([[], 'running'])

  await pages(1_000_000)
  expect(await taking.take(await known(), lines)).toMatchObject({ status: 'failed' })
  expect(taking.unstoredFailure(JOB)).toBeUndefined()
  expect((await known()).error).toMatchObject({ code: 'DISK_FULL' })
})

test('a model that the registry refuses does not keep its job from ending', async () => {
  await database
    .insertInto('models')
    .values({ model_id: 'in the way', job_id: JOB, record: '{}', created_at: TIME })
    .execute()
  const job = await ingest().take(await known(), chunk)
  expect(job).toMatchObject({ status: 'completed', model_id: null, events_offset: 100 })
  expect(told).toMatchObject([
    { type: 'completed', model_id: null, best_checkpoint: '/run/checkpoints/best', seq: 1 },
  ])
  // The number that it would have had is not lost.
  const numbers = database.selectFrom('counters').selectAll().where('name', '!=', 'evaluations')
  expect(await numbers.execute()).toEqual([])
})

describe('a commit that was carried out although it reported a failure', () => {
  class LosesTheAnswer extends TrainingRepository {
    override async transaction<Result>(
      work: Parameters<TrainingRepository['transaction']>[0],
    ): Promise<Result> {
      await super.transaction(work)
      throw new DatabaseError('disk I/O error', 'other', 'SQLITE_IOERR')
    }
  }
  const losing = () => ingest(registerModel, new LosesTheAnswer(database, new StoredPaths([])))
  const progress = (batch: number) => ({
    ...{ type: 'progress', timestamp: TIME, attempt: 1, epoch: 1, batch, total_batches: 9 },
    ...{ metrics: { loss: 0.5 }, eta_seconds: null },
  })

  test('is adopted with the end of the job, and followers are told, once', async () => {
    const before = await known()
    await expect(losing().take(before, chunk)).rejects.toThrow('disk I/O error')
    expect(told).toEqual([])
    const end = { ...END, status: 'stopped' } as TerminalEvent
    const adopted = await ingest().take(before, chunk)
    expect(adopted).toMatchObject({ status: 'completed', model_id: 'resnet18_gated_001' })
    expect(adopted && (await ingest().end(adopted, end))).toMatchObject({ status: 'completed' })
    expect(told).toMatchObject([{ type: 'completed', seq: 1, model_id: 'resnet18_gated_001' }])
    expect(await database.selectFrom('models').select('job_id').execute()).toHaveLength(1)
  })

  test('is adopted in the middle of a training, and the lines count once', async () => {
    const before = await known()
    const lines = [progress(1), progress(2)].map((event) => JSON.stringify(event))
    const first = { start: 0, end: 50, lines }
    await expect(losing().take(before, first)).rejects.toThrow('disk I/O error')
    const adopted = await ingest().take(before, { ...first, end: 70, lines: [...lines, '{}'] })
    expect(adopted).toMatchObject({ events_offset: 50, last_seq: 2 })
    expect(told.map(({ seq }) => seq)).toEqual([1, 2])
  })
})
