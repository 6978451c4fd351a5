import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder, type OwnFolder, openOwnFolder, watchOutputFolder } from './own-folder.js'

let path: string
let away: string
let own: OwnFolder
beforeEach(async () => {
  const base = mkdtempSync(join(tmpdir(), 'medloom-own-'))
  path = join(base, 'data')
  away = join(base, 'away')
  mkdirSync(path)
  own = await openOwnFolder(path)
})
afterEach(() => own.close())

const missing = { code: 'DATA_FOLDER_MISSING' }

test('nothing is created while the folder is missing, and everything again once it is back', async () => {
  renameSync(path, away)
  await expect(makeFolder(join(path, 'runs', 'a'))).rejects.toMatchObject(missing)
  expect(existsSync(path)).toBe(false)
  renameSync(away, path)
  await makeFolder(join(path, 'runs', 'a'))
  expect(existsSync(join(path, 'runs', 'a'))).toBe(true)
})

test('the output folder is watched as well, without any file in it', async () => {
  const outputs = await watchOutputFolder(path)
  expect(readdirSync(path)).toEqual(['folder-id'])
  await outputs.confirm()
  own.close()
  renameSync(path, away)
  const missing = { code: 'OUTPUT_FOLDER_MISSING' }
  await expect(makeFolder(join(path, 'reports'))).rejects.toMatchObject(missing)
  mkdirSync(path)
  await expect(outputs.confirm()).rejects.toMatchObject(missing)
  outputs.close()
})

test('neither an empty mount point nor another folder is accepted in its place', async () => {
  renameSync(path, away)
  mkdirSync(path)
  await expect(own.confirm()).rejects.toMatchObject(missing)
  const other = await openOwnFolder(path)
  await expect(own.confirm()).rejects.toMatchObject(missing)
  other.close()
  rmSync(path, { recursive: true })
  renameSync(away, path)
  await own.confirm()
})
