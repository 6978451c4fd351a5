import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')
const SQL =
  /\b(selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\b|\bsql(\.raw|\.table)?[`(<]/

const sources = readdirSync(SOURCES, { recursive: true })
  .map(String)
  .filter((path) => /\.(ts|js)$/.test(path) && !path.endsWith('.test.ts'))

test('SQL is only in repositories', () => {
  const allowed = (path: string) => path.startsWith(`database${sep}`) || path.endsWith('.repository.ts')
  const others = sources.filter(
    (path) => !allowed(path) && SQL.test(readFileSync(join(SOURCES, path), 'utf8')),
  )
  expect(others).toEqual([])
})

test('SQLite is only used in its folder, and for the lock of the data folder', () => {
  const inPlace = (path: string) => path.startsWith(join('database', 'sqlite') + sep)
  const others = sources.filter(
    (path) =>
      !inPlace(path) &&
      /from 'libsql'|PRAGMA|\bSQLITE_|json_extract/.test(readFileSync(join(SOURCES, path), 'utf8')),
  )
  expect(others).toEqual([join('database', 'lock.ts')])
})
