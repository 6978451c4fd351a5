import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WORKFLOW_VERSION, Workflow } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../testing/databases.js'
import type { Database } from '../database/database.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { WorkflowsRepository } from '../workflows/workflows.repository.js'
import { followRoots } from './follow-roots.js'

const log = { info: () => undefined }

describeEachDatabase((databases) => {
  let database: Database
  let base: string
  beforeEach(async () => {
    database = await databases.open()
    base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-moved-')))
    makeRoot('old')
  })
  afterEach(async () => {
    await database.destroy()
    rmSync(base, { recursive: true })
  })

  /** A root with a table, at this place below the folder of the test. */
  function makeRoot(place: string): void {
    mkdirSync(join(base, place, 'images'), { recursive: true })
    writeFileSync(join(base, place, 'train.csv'), '')
  }
  const start = (place: string, name = 'clinic') =>
    followRoots({ database, roots: [{ name, folder: join(base, place) }], log })

  /** The columns of the row that concern a path. */
  async function register(id: string, path: string, image_root = join(path, '../images')): Promise<void> {
    const facts = { dataset_id: id, path, image_root, note: 'not /old/a path' }
    const record = JSON.stringify(facts)
    const row = { dataset_id: id, path, record, summary: record, owner: null }
    await database
      .insertInto('datasets')
      .values({ ...row, created_at: '2026-01-02T03:04:05.000Z' })
      .execute()
  }
  const workflow = (path: string) =>
    Workflow.parse({
      version: WORKFLOW_VERSION,
      metadata: { name: 'one' },
      nodes: [{ id: 'load', type: 'LoadTable', position: { x: 0, y: 0 }, config: { path } }],
      connections: [],
    })
  const pathIn = async (id: string) =>
    (await new WorkflowsRepository(database).find(id))?.workflow.nodes[0]?.config.path

  test('datasets and workflows follow a root that moved, there and back', async () => {
    const datasets = new DatasetsRepository(database)
    const workflows = new WorkflowsRepository(database)
    await start('old')
    await register('a', join(base, 'old', 'train.csv'))
    await workflows.insert('w', workflow(join(base, 'old', 'train.csv')), database)
    for (const [from, to] of [
      ['old', 'new'],
      ['new', 'newer'],
      ['newer', 'old'],
    ] as const) {
      renameSync(join(base, from), join(base, to))
      await start(to)
      const path = join(base, to, 'train.csv')
      expect(await datasets.findByPath(path)).toMatchObject({
        ...{ dataset_id: 'a', path, image_root: join(base, to, 'images'), note: 'not /old/a path' },
      })
      expect((await datasets.summaries(['a']))[0]).toMatchObject({ path })
      expect(await pathIn('w')).toBe(path)
      expect((await workflows.revisions.find('w', 1))?.workflow.nodes[0]?.config.path).toBe(path)
    }
    const documents = await database.selectFrom('workflow_documents').select('digest').execute()
    expect(documents).toHaveLength(1)
  })

  test('images follow their root when the table stays', async () => {
    makeRoot('tables')
    const tables = { name: 'tables', folder: join(base, 'tables') }
    await followRoots({ database, roots: [tables, { name: 'clinic', folder: join(base, 'old') }], log })
    const path = join(base, 'tables', 'train.csv')
    await register('a', path, join(base, 'old', 'images'))
    renameSync(join(base, 'old'), join(base, 'new'))
    await followRoots({ database, roots: [tables, { name: 'clinic', folder: join(base, 'new') }], log })
    const dataset = await new DatasetsRepository(database).findByPath(path)
    expect(dataset).toMatchObject({ path, image_root: join(base, 'new', 'images') })
  })

  test('a path is kept if the new location does not have it, or another dataset is there', async () => {
    await start('old')
    const [table, missing] = [join(base, 'old', 'train.csv'), join(base, 'old', 'gone.csv')]
    await register('a', table)
    await register('b', missing)
    makeRoot('new')
    await register('c', join(base, 'new', 'train.csv'))
    await start('new')
    const paths = await database.selectFrom('datasets').select('path').orderBy('dataset_id').execute()
    expect(paths.map(({ path }) => path)).toEqual([table, missing, join(base, 'new', 'train.csv')])
  })

  test('a root with another name that still exists has not moved', async () => {
    await start('old')
    await register('a', join(base, 'old', 'train.csv'))
    makeRoot('new')
    const roots = [
      { name: 'clinic', folder: join(base, 'new') },
      { name: 'other', folder: join(base, 'old') },
    ]
    await followRoots({ database, roots, log })
    expect(await new DatasetsRepository(database).findByPath(join(base, 'old', 'train.csv'))).toBeDefined()
  })

  test('a version without stored locations left them in the paths of its jobs', async () => {
    await register('a', join(base, 'old', 'train.csv'))
    const stored = { root: 'clinic', path: 'train.csv', folder: join(base, 'old') }
    const job = { job_id: 'j', job_name: 'j', status: 'completed', metrics: '{}', notes: '[]' }
    await database
      .insertInto('jobs')
      .values({
        ...job,
        ...{ config: JSON.stringify({ data: { train_csv: stored } }), epoch: 0, total_epochs: 1, attempt: 1 },
        ...{ events_offset: 0, last_seq: 0, created_at: '2026-01-02T03:04:05.000Z' },
      } as never)
      .execute()
    renameSync(join(base, 'old'), join(base, 'new'))
    await start('new')
    expect(await new DatasetsRepository(database).findByPath(join(base, 'new', 'train.csv'))).toBeDefined()
  })
})
