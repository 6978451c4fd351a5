import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { migratedFile } from '../../../testing/migrated-file.js'
import { ANYONE } from '../../../testing/people.js'
import { type Database, openDatabase } from '../../database/database.js'
import { DatasetsRepository } from '../../datasets/datasets.repository.js'
import { AppError } from '../../errors.js'
import type { TaskParams } from '../../ports/task-pool.js'
import { createRoots } from '../../security/roots.js'
import { DatasetSource } from './dataset-source.js'
import { SourceDigests } from './source-digests.js'

let place: string
let database: Database
let source: DatasetSource
let digests: SourceDigests
let models: { find: ReturnType<typeof vi.fn> }
let pool: { run: ReturnType<typeof vi.fn> }
beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-sources-')))
  mkdirSync(join(place, 'data'))
  mkdirSync(join(place, 'root', 'scans', 's1'), { recursive: true })
  database = await openDatabase(await migratedFile(join(place, 'data', 'medloom.db')))
  pool = { run: vi.fn(namesOfFirstColumn) }
  const roots = createRoots([join(place, 'root')], join(place, 'data'))
  const context = { database, roots, pool: pool as never }
  models = { find: vi.fn() }
  source = new DatasetSource(context)
  digests = new SourceDigests(context, source, models as never)
  file('t.csv', 'image,label\nscans/s1,1\n')
  file('scans/s1/1.dcm', 'one')
})
afterEach(async () => {
  await database.destroy()
  rmSync(place, { recursive: true })
})
/** The first column of each table names its images. */
async function namesOfFirstColumn(_: string, { tables }: TaskParams<'named_images'>) {
  const cells = ({ path }: { path: string }) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0] ?? '')
  return {
    tables: tables.map((table) =>
      cells(table).map((cell) => ({ folder: dirname(cell), names: [basename(cell)] })),
    ),
    undecided: [],
  }
}
const file = (name: string, content: string) => writeFileSync(join(place, 'root', name), content)
const ofTable = () =>
  digests.digest({ id: 'load', type: 'LoadTabular' } as never, { path: 't.csv', encoding: 'auto' })
const ofDataset = (dataset_id: string) =>
  digests.digest({ id: 'load', type: 'LoadDataset' } as never, { dataset_id, split: 'all' })

test('the digest of a registered model is that of its training and the files of its checkpoint', async () => {
  const digestOf = (job_id: string, sha256: string, time = 1) => {
    models.find.mockResolvedValue({
      model: { job_id },
      manifest: { saved_at: time, files: { model: { sha256 } } },
    })
    return digests.digest({ id: 'predict', type: 'PredictCases' } as never, { model_id: 'latest' })
  }
  const first = await digestOf('a', '1')
  expect(models.find).toHaveBeenCalledWith('latest')
  expect(await digestOf('a', '1', 2)).toBe(first)
  expect(new Set([first, await digestOf('b', '1'), await digestOf('a', '2')]).size).toBe(3)
})

describe('the digest of a table changes with a series that it names by folder', () => {
  it.each([
    ['a changed file', () => file('scans/s1/1.dcm', 'other')],
    ['another file', () => file('scans/s1/2.dcm', 'two')],
    ['a file less', () => rmSync(join(place, 'root', 'scans/s1/1.dcm'))],
  ])('%s', async (_, change) => {
    const [table, dataset] = [await ofTable(), await ofDataset('t.csv')]
    expect([await ofTable(), await ofDataset('t.csv')]).toEqual([table, dataset])
    change()
    expect(await ofTable()).not.toBe(table)
    expect(await ofDataset('t.csv')).not.toBe(dataset)
  })
})

describe('the digest of a table', () => {
  it('changes with an image that it names, which may be missing, and with nothing else', async () => {
    file('t.csv', 'image,label\nscans/a.png,1\nscans/b.png,0\n')
    file('scans/a.png', 'one')
    const before = await ofTable()
    file('scans/c.png', 'three')
    expect(await ofTable()).toBe(before)
    file('scans/b.png', 'two')
    const both = await ofTable()
    expect(both).not.toBe(before)
    file('scans/a.png', 'other')
    expect(await ofTable()).not.toBe(both)
  })

  it('is the one that earlier versions computed, so that their results stay current', async () => {
    file('t.csv', 'image,label\nscans/b.png,1\nscans/a.png,0\nscans/none.png,0\nscans/s1,1\n')
    file('scans/a.png', 'one')
    file('scans/b.png', 'two')
    expect([await ofTable(), await ofDataset('t.csv')]).toEqual([
      '29b7eb446a7059958ef9d770696096c142fb8b67879b101989fa215083a18753',
      '601989a19ee8d9a25492d7dcc864937482d7fae9b2db0627cbc6b5e6362ed3be',
    ])
  })

  it('does not depend on files outside the roots', async () => {
    mkdirSync(join(place, 'outside'))
    writeFileSync(join(place, 'outside', 'a.png'), 'one')
    symlinkSync(join(place, 'outside'), join(place, 'root', 'way-out'))
    file('t.csv', `image,label\n${place}/outside/a.png,1\nway-out/a.png,1\n../outside/a.png,0\n`)
    const before = await ofTable()
    writeFileSync(join(place, 'outside', 'a.png'), 'other')
    expect(await ofTable()).toBe(before)
  })

  it('follows a link that leads to another folder', async () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(join(place, 'root', version))
      file(`${version}/a.png`, version)
    }
    file('t.csv', 'image,label\nlinked/a.png,1\n')
    const link = join(place, 'root', 'linked')
    symlinkSync(join(place, 'root', 'v1'), link)
    const before = await ofTable()
    rmSync(link)
    symlinkSync(join(place, 'root', 'v2'), link)
    expect(await ofTable()).not.toBe(before)
  })
})

it('the tables of a dataset are read together, with the image columns of its registration', async () => {
  file('train.csv', 'scan,label\nscans/s1,1\n')
  const { dataset_id } = await new DatasetsRepository(database).save(
    { path: join(place, 'root'), columns: [] } as never,
    {},
    {
      image_root: null,
      roles: { scan: 'image', age: 'numeric' },
      ignore_columns: [],
      positive_class_named: false,
      slices: null,
    },
    ANYONE,
  )
  await ofDataset(dataset_id)
  const table = (name: string) => ({
    path: join(place, 'root', name),
    image_root: join(place, 'root'),
    format: null,
    encoding: null,
  })
  expect(pool.run.mock.calls.map(([, params]) => params)).toEqual([
    { tables: [table('t.csv'), table('train.csv')], image_columns: ['scan'] },
  ])
})

it('without a worker the digest is unknown', async () => {
  pool.run.mockRejectedValue(new AppError('PYTHON_UNAVAILABLE', { english: 'no Python' }))
  await expect(ofTable()).rejects.toMatchObject({ code: 'PYTHON_UNAVAILABLE' })
})

it('the slices of a registered dataset are passed on, and are part of its digest', async () => {
  const slices = { count: 5, axis: 'coronal', spread: 'volume' } as const
  const register = (named: typeof slices | null) =>
    new DatasetsRepository(database).save(
      { path: join(place, 'root', 't.csv'), columns: [] } as never,
      {},
      { image_root: null, roles: {}, ignore_columns: [], positive_class_named: false, slices: named },
      ANYONE,
    )
  const { dataset_id } = await register(null)
  const without = await ofDataset(dataset_id)
  expect((await source.find(dataset_id, 'dataset_id')).place.slices).toBeNull()
  await register(slices)
  expect((await source.find(dataset_id, 'dataset_id')).place.slices).toEqual(slices)
  expect(await ofDataset(dataset_id)).not.toBe(without)
})

it('the recipe of a registered dataset is passed on, and its digest covers all that it may read', async () => {
  const recipe = { version: 1, files: [{ name: 'cases', path: 't.csv' }] }
  file('other.parquet', 'one')
  file('scans/a.png', 'one')
  const register = (named: typeof recipe) =>
    new DatasetsRepository(database).save(
      { path: join(place, 'root'), columns: [] } as never,
      {},
      {
        ...{ image_root: null, roles: {}, ignore_columns: [], positive_class_named: false, slices: null },
        recipe: named,
      },
      ANYONE,
    )
  const { dataset_id } = await register(recipe)
  expect((await source.find(dataset_id, 'dataset_id')).place.recipe).toEqual(recipe)
  const seen = [await ofDataset(dataset_id)]
  const changes = [
    () => file('other.parquet', 'two'),
    () => file('scans/a.png', 'two'),
    () => register({ ...recipe, files: [{ name: 'other', path: 'other.parquet' }] }),
  ]
  for (const change of changes) {
    await change()
    seen.push(await ofDataset(dataset_id))
  }
  expect(new Set(seen).size).toBe(4)
  expect(pool.run).not.toHaveBeenCalled()
})

it('is the same for each of many nodes, which read shared files once', async () => {
  const reading = vi.spyOn(source, 'find')
  const many = digests.ofMany()
  const digestOf = (id: string, split: string) =>
    many({ id, type: 'LoadDataset' } as never, { dataset_id: 't.csv', split, shuffle: id === 'a' })
  const [a, b, part] = await Promise.all([digestOf('a', 'all'), digestOf('b', 'all'), digestOf('c', 'train')])
  expect(reading).toHaveBeenCalledTimes(2)
  expect([a, b]).toEqual([await ofDataset('t.csv'), a])
  expect(part).toHaveLength(64)
})
