import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TrainingConfig } from '@medloom/contracts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digestOfFile } from '../storage/digests.js'
import { TableDigests } from './table-digests.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-tables-'))
  for (const name of ['cases.csv', 'lab.parquet', 'note.md']) writeFileSync(join(folder, name), name)
  mkdirSync(join(folder, 'images'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const tables = new TableDigests({
  digests: (paths) => Promise.all(paths.map((path) => digestOfFile(path).catch(() => null))),
})
const digestOf = async (recipe: object | null, train_csv = folder) => {
  const data = { train_csv, val_csv: null, test_csv: null, recipe }
  return (await tables.compute({ data } as unknown as TrainingConfig)).train_csv
}

it('covers every table that a recipe may read, and the names in the folder', async () => {
  const recipe = { version: 1 }
  const before = await digestOf(recipe)
  expect(await digestOf(recipe, join(folder, 'cases.csv'))).toBe(before)
  writeFileSync(join(folder, 'note.md'), 'another text')
  expect(await digestOf(recipe)).toBe(before)
  writeFileSync(join(folder, 'lab.parquet'), 'another content')
  const changed = await digestOf(recipe)
  expect(changed).not.toBe(before)
  mkdirSync(join(folder, 'more images'))
  expect(await digestOf(recipe)).not.toBe(changed)
  await expect(digestOf(recipe, join(folder, 'gone'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(digestOf(null)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
})
