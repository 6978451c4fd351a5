import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { refuseEmptyDatabase, refuseMissingDatabase } from './missing-database.js'

let path: string
let database: string
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'medloom-missing-'))
  database = join(path, 'medloom.db')
  for (const name of ['runs', 'studies', 'workflows']) mkdirSync(join(path, name))
})
const refused = () => refuseMissingDatabase({ path, database })

test('a new data folder, and one with its database, are opened', async () => {
  await refused()
  writeFileSync(database, '')
  await refused()
  mkdirSync(join(path, 'runs', 'a'))
  writeFileSync(database, 'SQLite format 3')
  await refused()
})

test('runs without their database are refused, with a remedy', async () => {
  mkdirSync(join(path, 'runs', 'a'))
  await expect(refused()).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining('medloom.db is missing'),
    remedy: expect.stringMatching(/Restore medloom\.db.*first move runs out of the folder/),
  })
  writeFileSync(database, '')
  await expect(refused()).rejects.toThrow('medloom.db is empty')
})

test('an empty database on a server is refused where there are runs', async () => {
  await refuseEmptyDatabase(path)
  mkdirSync(join(path, 'studies', 'a'))
  await expect(refuseEmptyDatabase(path)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/--database-url is empty, but the data folder .* contains studies/),
    remedy: expect.stringContaining('Restore the database from a backup'),
  })
})
