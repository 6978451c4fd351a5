import { type JobMessage, TrainingConfig } from '@medloom/contracts'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import type { Database } from '../../database/database.js'
import { DatabaseError } from '../../database/database-error.js'
import { registerModel } from '../../models/models.repository.js'
import type { RunExchanges, TerminalEvent } from '../../ports/run-exchange.js'
import { systemFault } from '../../system-fault.js'
import { StoredPaths } from '../configuration/stored-paths.js'
import { TrainingRepository } from '../training.repository.js'
import { EventIngest, type RegisterModel } from './event-ingest.js'

describeEachDatabase((databases) => {
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
  let published: JobMessage[]

  beforeEach(async () => {
    database = await databases.open()
    repository = new TrainingRepository(database, new StoredPaths([]))
    published = []
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

  const ingest = (register: RegisterModel = registerModel, over = repository, files = exchange) =>
    new EventIngest({
      repository: over,
      exchange: files,
      registerModel: register,
      publish: (_jobId, messages) => published.push(...messages),
      log: pino({ level: 'silent' }),
    })
  const known = async () => {
    const job = await repository.find(JOB)
    if (!job) throw new Error('there is no job')
    return job
  }
  const progressOf = (batch: number) => ({
    ...{ type: 'progress', timestamp: TIME, attempt: 1, epoch: 1, batch, total_batches: 9 },
    ...{ metrics: { loss: 0.5 }, eta_seconds: null },
  })
  const chunk = { start: 0, end: 100, lines: [JSON.stringify(END)] }

  test('the end of a job, its message and its model are stored together', async () => {
    const job = await ingest().take(await known(), chunk)
    expect(job).toMatchObject({ status: 'completed', model_id: 'resnet18_gated_001' })
    expect(published).toMatchObject([{ type: 'completed', model_id: 'resnet18_gated_001', seq: 1 }])
    expect(await database.selectFrom('models').select('job_id').execute()).toEqual([{ job_id: JOB }])
  })

  test.skipIf(databases.kind !== 'SQLite')(
    'a full disk at the end of a job stores nothing of it; with free space the same lines end it',
    async () => {
      await withoutFreePages(database)
      const pages = (max: number) => sql.raw(`PRAGMA max_page_count = ${max}`).execute(database)
      const withoutRoom: RegisterModel = async (transaction, model) => {
        await sql.raw('PRAGMA max_page_count = 1').execute(transaction)
        return registerModel(transaction, { ...model, job_name: 'x'.repeat(1_000_000) })
      }
      await expect(ingest(withoutRoom).take(await known(), chunk)).rejects.toSatisfy(
        (error) => systemFault(error)?.code === 'DISK_FULL',
      )
      await pages(1_000_000)
      expect(published).toEqual([])
      expect(await repository.find(JOB)).toMatchObject({ status: 'running', events_offset: 0, last_seq: 0 })
      expect(await repository.messages(JOB, { since: 0, limit: 10 })).toEqual([])

      expect(await ingest().take(await known(), chunk)).toMatchObject({
        status: 'completed',
        events_offset: 100,
      })
      expect(published).toMatchObject([{ type: 'completed', model_id: 'resnet18_gated_001', seq: 1 }])
    },
  )

  test.skipIf(databases.kind !== 'SQLite')(
    'a failure that cannot be stored on a full disk is known until it is stored',
    async () => {
      await withoutFreePages(database)
      const pages = (max: number) => sql.raw(`PRAGMA max_page_count = ${max}`).execute(database)
      const over = new TrainingRepository(database, new StoredPaths([]))
      const full = { type: 'error' as const, timestamp: TIME, attempt: 1, epoch: 2, code: 'DISK_FULL' }
      const end = { ...full, message: 'no space left'.repeat(10_000), details: 'Free space.', trace: null }
      const lines = { ...chunk, lines: [JSON.stringify(end)] }
      const taking = ingest(registerModel, over)
      await pages(1)
      await expect(taking.take(await known(), lines)).rejects.toSatisfy(
        (error) => systemFault(error)?.code === 'DISK_FULL',
      )
      expect(taking.unstoredFailure(JOB)).toMatchObject({ status: 'failed', error: { code: 'DISK_FULL' } })
      expect([published, (await known()).status]).toEqual([[], 'running'])

      await pages(1_000_000)
      expect(await taking.take(await known(), lines)).toMatchObject({ status: 'failed' })
      expect(taking.unstoredFailure(JOB)).toBeUndefined()
      expect((await known()).error).toMatchObject({ code: 'DISK_FULL' })
    },
  )

  test('a request made meanwhile is returned with the events', async () => {
    const before = await known()
    await repository.update(before, { request: 'stop' })
    const lines = { start: 0, end: 50, lines: [JSON.stringify(progressOf(1))] }
    expect(await ingest().take(before, lines)).toMatchObject({ request: 'stop', events_offset: 50 })
  })

  test('stored events are adopted: nothing is stored twice, and followers receive missed messages', async () => {
    const before = await known()
    const lines = { start: 0, end: 50, lines: [JSON.stringify(progressOf(1))] }
    await ingest().take(before, lines)
    published = []
    expect(await ingest().take(before, lines)).toMatchObject({ events_offset: 50, last_seq: 1 })
    expect(published).toMatchObject([{ type: 'progress', seq: 1 }])
    expect(await repository.messages(JOB, { since: 0, limit: 10 })).toHaveLength(1)
  })

  test('the metrics of the best epoch so far replace earlier ones', async () => {
    const end = (epoch: number, loss: number) => ({
      ...{ type: 'epoch_end', timestamp: TIME, attempt: 1, epoch, total_epochs: 2, duration_seconds: 1 },
      ...{ metrics: { train_loss: loss, val_loss: loss }, is_best: true },
    })
    let job = await known()
    for (const [index, loss] of [0.5, 0.25].entries()) {
      const lines = [JSON.stringify(end(index + 1, loss))]
      job = (await ingest().take(job, { start: index * 50, end: index * 50 + 50, lines })) ?? job
    }
    expect(published.map(({ type }) => type)).toEqual(['epoch_end', 'epoch_end'])
    const best = database.selectFrom('job_best_metrics').select(['metric', 'value']).orderBy('metric')
    expect(await best.execute()).toEqual([
      { metric: 'train_loss', value: 0.25 },
      { metric: 'val_loss', value: 0.25 },
    ])
  })

  test('a model that the registry refuses does not prevent its job from ending', async () => {
    await database
      .insertInto('models')
      .values({ model_id: 'in the way', job_id: JOB, record: '{}', created_at: TIME })
      .execute()
    const job = await ingest().take(await known(), chunk)
    expect(job).toMatchObject({ status: 'completed', model_id: null, events_offset: 100 })
    expect(published).toMatchObject([
      { type: 'completed', model_id: null, best_checkpoint: '/run/checkpoints/best', seq: 1 },
    ])
    // The model number is not used up.
    const numbers = database.selectFrom('counters').selectAll().where('name', '!=', 'evaluations')
    expect(await numbers.execute()).toEqual([])
  })

  describe('chunks of several jobs that come together', () => {
    const line = (batch: number) => JSON.stringify(progressOf(batch))
    const JOBS = ['job-1', 'job-2', 'job-3', 'job-4']
    class CountsTransactions extends TrainingRepository {
      transactions = 0
      override inBackground<Result>(
        work: Parameters<TrainingRepository['inBackground']>[0],
      ): Promise<Result> {
        this.transactions += 1
        return super.inBackground(work) as Promise<Result>
      }
      override inSharedBackground<Result>(
        work: Parameters<TrainingRepository['inSharedBackground']>[0],
      ): Promise<Result> {
        this.transactions += 1
        return super.inSharedBackground(work) as Promise<Result>
      }
    }
    let counting: CountsTransactions
    beforeEach(async () => {
      counting = new CountsTransactions(database, new StoredPaths([]))
      const row = await database.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
      const { number: _, duration_seconds: __, headline: ___, searched: ____, ...columns } = row
      for (const job_id of JOBS.slice(1))
        await database
          .insertInto('jobs')
          .values({ ...columns, job_id })
          .execute()
    })
    const all = async () => {
      const jobs = await Promise.all(JOBS.map((id) => repository.find(id)))
      return jobs.flatMap((job) => job ?? [])
    }
    const takeAll = async (taking: EventIngest) => {
      const lines = [line(1), line(2)]
      const jobs = await all()
      return Promise.allSettled(jobs.map((job) => taking.take(job, { start: 0, end: 50, lines })))
    }
    /** The event offset and the messages of each job. */
    const stored = async () =>
      Promise.all(
        (await all()).map(async ({ job_id, events_offset, last_seq }) => {
          const messages = await repository.messages(job_id, { since: 0, limit: 10 })
          return [job_id, events_offset, last_seq, messages.map(({ seq }) => seq)]
        }),
      )

    test('are stored in one transaction, each with its offset', async () => {
      const taken = await takeAll(ingest(registerModel, counting))
      expect(taken.map(({ status }) => status)).toEqual(JOBS.map(() => 'fulfilled'))
      expect(counting.transactions).toBe(1)
      expect(await stored()).toEqual(JOBS.map((id) => [id, 50, 2, [1, 2]]))
      expect(published.map(({ job_id, seq }) => `${job_id} ${seq}`).sort()).toEqual(
        JOBS.flatMap((id) => [`${id} 1`, `${id} 2`]),
      )
    })

    test('do not fail because of one that cannot be stored: nothing of that one is stored, not even its offset', async () => {
      const inTheWay = { job_id: 'job-3', seq: 2, type: 'progress', message: '{}' }
      await database.insertInto('job_events').values(inTheWay).execute()
      const taking = ingest(registerModel, counting)
      const taken = await takeAll(taking)
      expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
      expect(await stored()).toEqual(
        JOBS.map((id) => (id === 'job-3' ? [id, 0, 0, [2]] : [id, 50, 2, [1, 2]])),
      )
      expect(published.some(({ job_id }) => job_id === 'job-3')).toBe(false)
      await database.deleteFrom('job_events').where('job_id', '=', 'job-3').execute()
      expect((await takeAll(taking)).map(({ status }) => status)).toEqual(JOBS.map(() => 'fulfilled'))
      expect(await stored()).toEqual(JOBS.map((id) => [id, 50, 2, [1, 2]]))
    })

    test('do not affect a stop that was requested since the caller read the job', async () => {
      const [job] = await all()
      if (!job) throw new Error('there is no job')
      await repository.update(job, { request: 'stop' })
      const taken = await ingest().take(job, { start: 0, end: 50, lines: [line(1)] })
      expect(taken).toMatchObject({ request: 'stop', events_offset: 50 })
      expect(await repository.find(JOB)).toMatchObject({ request: 'stop', events_offset: 50 })
    })

    test('of an older attempt, or of a removed job, store nothing', async () => {
      const [first, second] = await all()
      if (!first || !second) throw new Error('there are no jobs')
      await database.updateTable('jobs').set({ attempt: 2 }).where('job_id', '=', 'job-1').execute()
      await database.deleteFrom('jobs').where('job_id', '=', 'job-2').execute()
      const taking = ingest()
      const lines = { start: 0, end: 50, lines: [line(1)] }
      expect(await Promise.all([taking.take(first, lines), taking.take(second, lines)])).toEqual([null, null])
      expect(await repository.messages('job-1', { since: 0, limit: 10 })).toEqual([])
    })
  })

  test('the end of a job with a temporarily unreadable checkpoint waits, and keeps its model', async () => {
    const before = await known()
    const readable = exchange(JOB).checkpoint
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' })
    let isDenied = true
    const fragile = (() => ({
      ...exchange(JOB),
      checkpoint: (name: string) => (isDenied ? Promise.reject(denied) : readable(name)),
    })) as unknown as RunExchanges
    const taking = ingest(registerModel, repository, fragile)
    await expect(taking.take(before, chunk)).rejects.toMatchObject({ code: 'STORAGE_DENIED' })
    expect(published).toEqual([])
    isDenied = false
    expect(await taking.take(before, chunk)).toMatchObject({ model_id: 'resnet18_gated_001' })
  })

  describe('a commit that succeeded although it reported a failure', () => {
    class LosesTheAnswer extends TrainingRepository {
      override async inBackground<Result>(
        work: Parameters<TrainingRepository['transaction']>[0],
      ): Promise<Result> {
        await super.inBackground(work)
        throw new DatabaseError('disk I/O error', 'other', 'SQLITE_IOERR')
      }
      override async inSharedBackground<Result>(
        work: Parameters<TrainingRepository['transaction']>[0],
      ): Promise<Result> {
        await super.inSharedBackground(work)
        throw new DatabaseError('disk I/O error', 'other', 'SQLITE_IOERR')
      }
    }
    const losing = () => ingest(registerModel, new LosesTheAnswer(database, new StoredPaths([])))
    test('is adopted with the end of the job, and followers are notified once', async () => {
      const before = await known()
      await expect(losing().take(before, chunk)).rejects.toThrow('disk I/O error')
      expect(published).toEqual([])
      const end = { ...END, status: 'stopped' } as TerminalEvent
      const adopted = await ingest().take(before, chunk)
      expect(adopted).toMatchObject({ status: 'completed', model_id: 'resnet18_gated_001' })
      expect(adopted && (await ingest().end(adopted, end))).toMatchObject({ status: 'completed' })
      expect(published).toMatchObject([{ type: 'completed', seq: 1, model_id: 'resnet18_gated_001' }])
      expect(await database.selectFrom('models').select('job_id').execute()).toHaveLength(1)
    })

    test('is adopted in the middle of a training, and the lines count once', async () => {
      const before = await known()
      const lines = [progressOf(1), progressOf(2)].map((event) => JSON.stringify(event))
      const first = { start: 0, end: 50, lines }
      await expect(losing().take(before, first)).rejects.toThrow('disk I/O error')
      const adopted = await ingest().take(before, { ...first, end: 70, lines: [...lines, '{}'] })
      expect(adopted).toMatchObject({ events_offset: 50, last_seq: 2 })
      expect(published.map(({ seq }) => seq)).toEqual([1, 2])
    })
  })
})

/** An earlier test may have left free pages in the file, which a size limit does not remove. */
async function withoutFreePages(database: Database): Promise<void> {
  await sql`VACUUM`.execute(database)
}
