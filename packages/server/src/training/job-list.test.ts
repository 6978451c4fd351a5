import { randomUUID } from 'node:crypto'
import { JobSummary, type Metrics, ROUTES, TrainingConfig } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import type { Database } from '../database/database.js'
import type { JobRow } from '../database/schema.js'
import { ConnectionThread } from '../database/sqlite/connection-thread.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import { StoredPaths } from './configuration/stored-paths.js'
import { JobListRepository } from './job-list.repository.js'
import { JobReader } from './job-reader.js'
import { TrainingRepository } from './training.repository.js'

describeEachDatabase((databases) => {
  let database: Database
  let repository: TrainingRepository
  let reader: JobReader
  /** The files of a run: a list that accesses one of them fails. */
  const files = {
    localPath: () => '/run',
    hasCheckpoint: (): Promise<boolean> => {
      throw new Error('a list looks at no file')
    },
  }
  const exchange = (() => files) as unknown as RunExchanges

  beforeEach(async () => {
    database = await databases.open()
    const paths = new StoredPaths([{ name: 'study', folder: '/disk/study' }])
    repository = new TrainingRepository(database, paths)
    const lists = new JobListRepository(database, paths)
    const ingest = { unstoredFailure: () => undefined }
    const unread = { resources: {} as never, metrics: {} as never }
    reader = new JobReader({
      repository,
      lists,
      exchange,
      ingest,
      pause: () => null,
      quotas: { reached: async () => new Map() },
      ...unread,
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await database.destroy()
  })

  interface Inserted {
    readonly columns?: Partial<Pick<JobRow, 'status' | 'started_at' | 'ended_at' | 'study_id'>>
    readonly metrics?: Metrics
    readonly train_csv?: string
    readonly job_id?: string
  }

  async function insert(
    name: string,
    { columns = {}, metrics, train_csv = '/train.csv', ...given }: Inserted = {},
  ) {
    const job_id = given.job_id ?? randomUUID()
    const config = TrainingConfig.parse({
      data: { train_csv },
      model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
      training: { epochs: 2, batch_size: 4 },
    })
    const created_at = '2026-01-02T03:04:05.000Z'
    const none = { epoch: 0, total_epochs: 2, resumed_from: null, fine_tuned_from: null }
    await repository.insert({ job_id, job_name: name, config, created_at, ...none })
    if (metrics) await repository.update({ job_id, status: 'started' }, { best: { epoch: 1, metrics } })
    const changes = { status: 'completed', ...columns }
    await database.updateTable('jobs').set(changes).where('job_id', '=', job_id).execute()
    return job_id
  }

  test('the status of a job is shown even if the files of its run cannot be read', async () => {
    const id = await insert('one', { columns: { status: 'failed' } })
    const denied = Object.assign(new Error('denied'), { code: 'EACCES' })
    vi.spyOn(files, 'hasCheckpoint').mockRejectedValueOnce(denied)
    expect(await reader.status(id)).toMatchObject({ status: 'failed', resumable: false })
  })

  /** Parses a query like the route. */
  const list = (query: Record<string, unknown> = {}) => reader.list(ROUTES.listJobs.query.parse(query))
  const names = async (query?: Record<string, unknown>) =>
    (await list(query)).jobs.map(({ job_name }) => job_name)

  test.skipIf(databases.kind !== 'SQLite')(
    'a page of jobs reads neither configurations nor files, and the queue once',
    async () => {
      for (const [name, status] of [
        ['a', 'started'],
        ['b', 'stopped'],
        ['c', 'started'],
        ['d', 'running'],
        ['e', 'started'],
      ] as const)
        await insert(name, { columns: { status } })
      const statements = vi.spyOn(ConnectionThread.prototype, 'statement')
      const { jobs, next_page_token, total } = await list({ page_size: 4 })
      expect(jobs.map(({ job_name, queue_position }) => [job_name, queue_position])).toEqual([
        ['e', 3],
        ['d', null],
        ['c', 2],
        ['b', null],
      ])
      expect(total).toBe(5)
      expect(
        statements.mock.calls.map(([sql]) =>
          /"(config|prepared|note)"|select \*/.test(sql.replace('"note" <>', '')),
        ),
      ).toEqual([false, false, false, false])
      for (const job of jobs) expect(JobSummary.parse(job)).toEqual(job)
      const rest = await list({ page_size: 4, page_token: next_page_token })
      expect(rest.jobs.map(({ job_name, queue_position }) => [job_name, queue_position])).toEqual([['a', 1]])
      const waiting = await list({ page_size: 2, status: 'started' })
      expect(waiting.jobs.map(({ queue_position }) => queue_position)).toEqual([3, 2])
    },
  )

  test('a summary contains the main keys of the configuration, and a path below a root at its current location', async () => {
    await insert('a', { train_csv: '/disk/study/site 1/train.csv' })
    const { jobs } = await list()
    expect(jobs[0]).toMatchObject({
      tags: [],
      has_note: false,
      pinned: false,
      archived: false,
      settings: {
        train_csv: '/disk/study/site 1/train.csv',
        task: null,
        reads: 'image and table',
        vision_backbone: 'resnet18',
        pretrained: false,
        image_size: [224, 224],
        fold: null,
        seed: 0,
      },
    })
  })

  describe('a list', () => {
    const timeAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

    test('finds every word of a search in name, tags, note, path or id', async () => {
      const job_id = await insert('Skin 50%', { train_csv: '/disk/study/pad/train.csv' })
      await insert('other', { train_csv: '/disk/study/ham/train.csv' })
      await repository.edit(job_id, { tags: ['naïve baseline'], note: 'Größe "A"\nwith_underscore' })
      for (const q of [
        'SKIN',
        '50%',
        'baseline skin',
        'Größe',
        '"A"',
        'h_under',
        'pad/train',
        job_id.slice(0, 9),
        '/disk/study/pad',
      ])
        expect(await names({ q }), q).toEqual(['Skin 50%'])
      for (const q of ['5_%', 'skin other', job_id.slice(3, 12), 'root', '%', 'x'])
        expect(await names({ q }), q).toEqual(q === '%' ? ['Skin 50%'] : [])
      expect(await names({ q: '  ' })).toHaveLength(2)
    })

    test('filters by all tags, one of the statuses, the study, and pinned, and excludes archived jobs', async () => {
      const study_id = randomUUID()
      const ids = new Map<string, string>()
      for (const [name, columns] of Object.entries({
        a: { status: 'failed', study_id },
        b: { status: 'stopped' },
        c: { status: 'completed', study_id },
        d: { status: 'failed' },
      }))
        ids.set(name, await insert(name, { columns }))
      const edit = (name: string, changes: Parameters<TrainingRepository['edit']>[1]) =>
        repository.edit(ids.get(name) ?? '', changes)
      await edit('a', { tags: ['x', 'x y'], pinned: true })
      await edit('b', { tags: ['x y'] })
      await edit('d', { archived: true, tags: ['x'] })
      expect(await names()).toEqual(['c', 'b', 'a'])
      expect(await names({ archived: 'true' })).toEqual(['d'])
      expect(await names({ archived: 'all' })).toEqual(['d', 'c', 'b', 'a'])
      expect(await names({ tags: 'x' })).toEqual(['a'])
      expect(await names({ tags: 'X  Y' })).toEqual(['b', 'a'])
      expect(await names({ tags: 'x y,x' })).toEqual(['a'])
      expect(await names({ status: 'failed,stopped' })).toEqual(['b', 'a'])
      expect(await names({ status: 'failed,completed', study_id })).toEqual(['c', 'a'])
      expect(await names({ pinned: 'true' })).toEqual(['a'])
      expect((await list({ status: 'failed', archived: 'all', page_size: 1 })).total).toBe(2)
      expect(await reader.tags()).toEqual({
        tags: [
          { tag: 'x', jobs: 2 },
          { tag: 'x y', jobs: 2 },
        ],
      })
    })

    test('is ordered by every column in both directions, page by page', async () => {
      const ended = (status: string, second: number) => ({
        status,
        started_at: timeAt(0),
        ended_at: timeAt(second),
      })
      await insert('b', { metrics: { val_auc: 0.9, val_loss: 1 }, columns: ended('stopped', 2) })
      await insert('A', { metrics: { val_auc: null }, columns: ended('failed', 30) })
      await insert('c', { metrics: { val_auc: 0.1 + 0.2 }, columns: ended('completed', 1) })
      await insert('d', { columns: { status: 'running', started_at: timeAt(0) } })
      await insert('e', { metrics: { val_auc: 0.5 }, columns: { status: 'running', started_at: timeAt(0) } })
      for (const [order_by, order, expected] of [
        ['created_at', 'asc', ['b', 'A', 'c', 'd', 'e']],
        ['created_at', 'desc', ['e', 'd', 'c', 'A', 'b']],
        ['name', 'asc', ['A', 'b', 'c', 'd', 'e']],
        ['name', 'desc', ['e', 'd', 'c', 'b', 'A']],
        ['status', 'asc', ['e', 'd', 'c', 'A', 'b']],
        ['duration', 'asc', ['c', 'b', 'A', 'e', 'd']],
        ['duration', 'desc', ['A', 'b', 'c', 'e', 'd']],
        ['metrics.val_auc', 'desc', ['b', 'e', 'c', 'd', 'A']],
        ['metrics.val_auc', 'asc', ['c', 'e', 'b', 'd', 'A']],
        ['metrics.unknown', 'desc', ['e', 'd', 'c', 'A', 'b']],
      ] as const) {
        expect(await names({ order_by, order }), `${order_by}, ${order}`).toEqual(expected)
        for (const page_size of [1, 2, 3]) {
          const found: string[] = []
          let page_token: string | undefined
          do {
            const page = await list({ order_by, order, page_size, ...(page_token && { page_token }) })
            found.push(...page.jobs.map(({ job_name }) => job_name))
            expect(page.total).toBe(5)
            page_token = page.next_page_token ?? undefined
          } while (page_token)
          expect(found, `${order_by}, ${order}, pages of ${page_size}`).toEqual(expected)
        }
      }
    })

    test('refuses the token of another filter or order, and accepts it with another page size', async () => {
      for (const name of ['a', 'b', 'c']) await insert(name)
      const { next_page_token: page_token } = await list({ page_size: 1, order_by: 'name', order: 'asc' })
      const next = { order_by: 'name', order: 'asc', page_token }
      expect(await names({ ...next, page_size: 5 })).toEqual(['b', 'c'])
      for (const other of [{ order: 'desc' }, { order_by: 'status' }, { q: 'a' }, { archived: 'all' }])
        await expect(list({ ...next, ...other })).rejects.toMatchObject({ code: 'INVALID_PAGE_TOKEN' })
    })

    test('is sorted by the current metrics of the best epoch', async () => {
      const job_id = await insert('a', { metrics: { val_auc: 0.9, val_mae: 3 } })
      await insert('b', { metrics: { val_auc: 0.8 } })
      const best = { epoch: 2, metrics: { val_auc: 0.7 } }
      await repository.update({ job_id, status: 'completed' }, { best })
      await repository.update({ job_id, status: 'failed' }, { best: { epoch: 3, metrics: { val_auc: 1 } } })
      expect(await names({ order_by: 'metrics.val_auc' })).toEqual(['b', 'a'])
      expect(await names({ order_by: 'metrics.val_mae', order: 'asc' })).toEqual(['b', 'a'])
      await database.transaction().execute((transaction) => repository.remove(job_id, transaction))
      expect(await database.selectFrom('job_best_metrics').selectAll().execute()).toHaveLength(1)
    })
  })
})

test.each([
  { view: 'full', page_size: 101 },
  { order_by: 'metrics.' },
  { order_by: 'epoch' },
  { status: 'done' },
  { status: '' },
  { tags: ',' },
  { tags: Array.from({ length: 21 }, (_, number) => `t${number}`).join() },
  { archived: 'yes' },
  { study_id: 'x' },
])('the query %j is refused', (query) => expect(ROUTES.listJobs.query.safeParse(query).success).toBe(false))
