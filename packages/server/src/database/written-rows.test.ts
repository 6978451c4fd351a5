import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from './database.js'

let database: Database
let written: [string, string | null][]
beforeEach(async () => {
  database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'medloom-written-')), 'medloom.db'))
  written = []
  database.written.listen((table, id) => written.push([table, id]))
})
afterEach(() => database.destroy())

const dataset = (dataset_id: string) => ({ dataset_id, path: dataset_id, record: '{}', created_at: '' })

test('written rows are reported by id, inside and outside a transaction; reads report nothing', async () => {
  await database
    .insertInto('datasets')
    .values([dataset('a'), dataset('b')])
    .execute()
  await database
    .transaction()
    .execute((transaction) =>
      transaction.updateTable('datasets').set({ record: '{}' }).where('dataset_id', '=', 'a').execute(),
    )
  await database.withoutWaiting((transaction) =>
    transaction
      .updateTable('datasets')
      .set({ record: '{}' })
      .where('dataset_id', '=', 'b')
      .where('path', '=', 'b')
      .where('created_at', '=', '')
      .execute(),
  )
  await database.selectFrom('datasets').selectAll().where('dataset_id', '=', 'a').execute()
  await database.insertInto('counters').values({ name: 'x', value: 1 }).execute()
  await database.deleteFrom('datasets').where('dataset_id', '=', 'b').execute()
  expect(written).toEqual(['a', 'b', 'a', 'b', 'b'].map((id) => ['datasets', id]))
})

test('a statement that selects its rows otherwise may mean any row', async () => {
  await database.updateTable('datasets').set({ record: '{}' }).where('path', '=', 'a').execute()
  await database.deleteFrom('datasets').where('dataset_id', 'in', ['a', 'b']).execute()
  await database
    .deleteFrom('datasets')
    .where((where) => where.or([where('dataset_id', '=', 'a'), where('dataset_id', '=', 'b')]))
    .execute()
  expect(written).toEqual([
    ['datasets', null],
    ['datasets', null],
    ['datasets', null],
  ])
})
