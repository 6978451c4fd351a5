import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { migratedFile } from '../../../testing/migrated-file.js'
import { ANYONE } from '../../../testing/people.js'
import { type Database, openDatabase } from '../../database/database.js'
import { DatasetsRepository } from '../../datasets/datasets.repository.js'
import { createRoots } from '../../security/roots.js'
import { DatasetSource } from './dataset-source.js'
import { SourceDigests } from './source-digests.js'

let place: string
let database: Database
let source: DatasetSource
let digests: SourceDigests
beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-sources-')))
  mkdirSync(join(place, 'data'))
  mkdirSync(join(place, 'root', 'scans', 's1'), { recursive: true })
  database = await openDatabase(await migratedFile(join(place, 'data', 'medloom.db')))
  const context = { database, roots: createRoots([join(place, 'root')], join(place, 'data')) }
  source = new DatasetSource(context)
  digests = new SourceDigests(context, source)
  file('t.csv', 'image,label\nscans/s1,1\n')
  file('scans/s1/1.dcm', 'one')
})
afterEach(async () => {
  await database.destroy()
  rmSync(place, { recursive: true })
})
const file = (name: string, content: string) => writeFileSync(join(place, 'root', name), content)
const ofTable = () =>
  digests.of({ id: 'load', type: 'LoadTabular' } as never, { path: 't.csv', encoding: 'auto' })
const ofDataset = (dataset_id: string) =>
  digests.of({ id: 'load', type: 'LoadDataset' } as never, { dataset_id, split: 'all' })

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

it('is the same for each of many nodes, which read shared files once', async () => {
  const reading = vi.spyOn(source, 'find')
  const many = digests.ofMany()
  const of = (id: string, split: string) =>
    many({ id, type: 'LoadDataset' } as never, { dataset_id: 't.csv', split, shuffle: id === 'a' })
  const [a, b, part] = await Promise.all([of('a', 'all'), of('b', 'all'), of('c', 'train')])
  expect(reading).toHaveBeenCalledTimes(2)
  expect([a, b]).toEqual([await ofDataset('t.csv'), a])
  expect(part).toHaveLength(64)
})
