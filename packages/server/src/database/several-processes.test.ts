/** @module-tag service */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import { draw } from '../../testing/draw.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { createIdempotency } from '../http/idempotency/idempotency.js'
import { ModelsRepository, registerModel, type StoredModel } from '../models/models.repository.js'
import { StoredPaths } from '../training/configuration/stored-paths.js'
import { TrainingRepository } from '../training/training.repository.js'
import { WorkflowsRepository } from '../workflows/workflows.repository.js'
import { type Database, openDatabase } from './database.js'

/** Two connections do the same at the same time, like two processes. */
describeEachDatabase(({ kind, place }) => {
  let both: readonly [Database, Database]
  beforeEach(async () => {
    const location = await place()
    both = [await openDatabase(location), await openDatabase(location)]
  })
  afterEach(async () => {
    for (const database of both) await database.destroy()
  })
  const all = <Result>(times: number, work: (database: Database, i: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 2 * times }, (_, i) => work(both[i % 2 ? 1 : 0], i)))
  const addJob = (database: Database, job_id: string) =>
    new TrainingRepository(database, new StoredPaths([])).insert({
      ...{ job_id, job_name: job_id, config: {} as never, total_epochs: 1, epoch: 0 },
      ...{ resumed_from: null, fine_tuned_from: null, created_at: '' },
    })

  test('data that a transaction has read stays valid until it ends', async () => {
    await all(8, (database) =>
      database.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom('counters')
          .select('value')
          .where('name', '=', 'n')
          .executeTakeFirst()
        if (!row) await transaction.insertInto('counters').values({ name: 'n', value: 1 }).execute()
        else
          await transaction
            .updateTable('counters')
            .set({ value: row.value + 1 })
            .where('name', '=', 'n')
            .execute()
      }),
    )
    const { value } = await both[0]
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'n')
      .executeTakeFirstOrThrow()
    expect(value).toBe(16)
  })

  test('a single statement does not run inside a transaction of the other process', async () => {
    const [first, second] = both
    await first.insertInto('counters').values({ name: 'n', value: 1 }).execute()
    const read = (connection: Pick<Database, 'selectFrom'>) =>
      connection.selectFrom('counters').select('value').where('name', '=', 'n').executeTakeFirstOrThrow()
    let update: Promise<unknown> | undefined
    await first.transaction().execute(async (transaction) => {
      const before = await read(transaction)
      update = second.updateTable('counters').set({ value: 2 }).where('name', '=', 'n').execute()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await read(transaction)).toEqual(before)
    })
    await update
    expect(await read(first)).toEqual({ value: 2 })
  })

  // SQLite has one writer at a time and is used by only one process.
  test.runIf(kind === 'PostgreSQL')(
    'a shared transaction waits for none of the other, and changes a job only if it is still as known',
    async () => {
      const [first, second] = both
      await addJob(first, 'a')
      const jobs = new TrainingRepository(first, new StoredPaths([]))
      const job = await jobs.find('a')
      if (!job) throw new Error('there is no job')
      const advance = (epoch: number) =>
        jobs.inSharedBackground((transaction) =>
          jobs.advance(job, { epoch, events_offset: job.events_offset + 10 }, transaction),
        )
      await second.transaction().execute(async (transaction) => {
        await transaction.insertInto('counters').values({ name: 'n', value: 1 }).execute()
        expect(await advance(1)).toEqual({ request: null })
      })
      expect(await advance(2)).toBeUndefined()
      expect(await jobs.find('a')).toMatchObject({ epoch: 1 })
    },
  )

  test('the queue takes no more jobs than its limit', async () => {
    const accepted = await all(8, (database, i) =>
      database.transaction().execute(async (transaction) => {
        const repository = new TrainingRepository(database, new StoredPaths([]))
        if (await repository.isQueueFull(7, transaction)) return false
        await repository.insert(
          {
            ...{ job_id: `${i}`, job_name: '', config: {} as never, total_epochs: 1, epoch: 0 },
            ...{ resumed_from: null, fine_tuned_from: null, created_at: '' },
          },
          transaction,
        )
        return true
      }),
    )
    expect(accepted.filter(Boolean)).toHaveLength(7)
  })

  test('a dataset is registered once per path', async () => {
    const request = {
      image_root: null,
      roles: {},
      ignore_columns: [],
      positive_class_named: false,
      slices: null,
    }
    const saved = await all(10, (database) =>
      new DatasetsRepository(database).save({ path: '/a' } as never, {}, request, {
        owner: null,
        mayReplace: () => undefined,
      }),
    )
    expect(new Set(saved.map(({ dataset_id }) => dataset_id)).size).toBe(1)
    expect(await both[0].selectFrom('datasets').select('number').execute()).toHaveLength(1)
  })

  test('model numbers are unique, and evaluations on a split are counted once each', async () => {
    const model = { architecture: 'resnet18', fusion_type: 'gated', created_at: '' } as StoredModel
    for (let i = 0; i < 20; i++) await addJob(both[0], `job-${i}`)
    const ids = await all(10, (database, i) =>
      database
        .transaction()
        .execute((transaction) => registerModel(transaction, { ...model, job_id: `job-${i}` })),
    )
    expect([...ids].sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => `resnet18_gated_${String(i + 1).padStart(3, '0')}`),
    )
    const model_id = ids[0] ?? ''
    const counts = await all(10, (database, i) =>
      new ModelsRepository(database).addEvaluation(
        { evaluation_id: `${i}`, model_id, split: 'test' },
        { digest: 'digest', checkpoint_digest: 'w' },
      ),
    )
    expect(counts.map(({ test_evaluations }) => test_evaluations).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
  })

  test('a document is stored once while both save and remove workflows that use it, and revisions are consecutive', async () => {
    const workflow = draw({ fusion: ['SelectFusion'] }, [], 'same')
    const repositories = both.map((database) => new WorkflowsRepository(database))
    await all(10, (database, i) =>
      database
        .transaction()
        .execute((transaction) => new WorkflowsRepository(database).insert(`w${i}`, workflow, transaction)),
    )
    const documents = () => both[0].selectFrom('workflow_documents').select('digest').execute()
    expect(await documents()).toHaveLength(1)
    const renamed = draw({ fusion: ['SelectFusion'] }, [], 'renamed')
    const saved = await all(5, (database, i) =>
      database
        .transaction()
        .execute((transaction) =>
          (repositories[i % 2] as WorkflowsRepository).update('w0', renamed, 1, transaction),
        ),
    )
    expect(saved.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await repositories[0]?.revision('w0')).toBe(2)
    await all(10, (database, i) =>
      database
        .transaction()
        .execute((transaction) =>
          new WorkflowsRepository(database).addExecution(
            'w0',
            { timestamp: `2026-01-02T03:04:${10 + i}Z`, status: 'success', duration: i, metrics: {} },
            transaction,
          ),
        ),
    )
    expect((await repositories[1]?.find('w0'))?.workflow.execution_history).toHaveLength(20)
  })

  test.skipIf(kind === 'SQLite')(
    'of two processes with the same key one does the work, the other gets its response',
    async () => {
      let runs = 0
      const [first, second] = both.map((database) => ({ database, idempotency: createIdempotency(database) }))
      const request = (instance: typeof first, key: string, work = 30) =>
        instance?.idempotency.once(
          { route: 'startTraining', key, user: null },
          { a: 1 },
          async (remember) => {
            runs++
            await new Promise((resolve) => setTimeout(resolve, work))
            return instance.database.transaction().execute(async (transaction) => {
              await sql`SELECT 1`.execute(transaction)
              await remember(transaction, { run: runs })
              return { run: runs }
            })
          },
        )
      expect(
        await Promise.all([request(first, 'k'), request(second, 'k'), request(second, 'other')]),
      ).toEqual([{ run: expect.any(Number) }, { run: expect.any(Number) }, { run: expect.any(Number) }])
      expect(runs).toBe(2)
      const other = second?.idempotency.once(
        { route: 'startTraining', key: 'k', user: null },
        { a: 2 },
        async () => ({}),
      )
      await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    },
  )

  test.skipIf(kind === 'SQLite')(
    'work without its own transaction also runs once, and a failure releases the key',
    async () => {
      let runs = 0
      const failures: string[] = []
      const [first, second] = both.map((database) => createIdempotency(database))
      const work = async () => {
        runs++
        await new Promise((resolve) => setTimeout(resolve, 30))
        return { run: runs }
      }
      const responses = await Promise.all([
        first?.once({ route: 'r', key: 'k', user: null }, {}, work),
        second?.once({ route: 'r', key: 'k', user: null }, {}, work),
      ])
      expect([runs, ...responses]).toEqual([1, { run: 1 }, { run: 1 }])
      let fail: () => void = () => undefined
      const begun = new Promise<void>((begin) => {
        const held = new Promise<never>((_, reject) => {
          fail = () => reject(new Error('no'))
        })
        const act = () => {
          begin()
          return held
        }
        first
          ?.once({ route: 'r', key: 'f', user: null }, {}, act)
          .catch((error) => void failures.push(error.message))
      })
      await begun
      const next = second?.once({ route: 'r', key: 'f', user: null }, {}, work)
      fail()
      expect(await next).toEqual({ run: 2 })
      expect(failures).toEqual(['no'])
    },
  )
})
