import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { columnsOfCases } from './case-columns.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-columns-'))
afterAll(() => rmSync(folder, { recursive: true }))
const long = Array.from({ length: 20_000 }, (_, column) => `gene ${column}`)
const written = (names: readonly string[]) => names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')

test.each<[string, string[]]>([
  ['one name', ['case_id']],
  ['commas, quotes and line breaks in names', ['say "ah"', 'a,b', 'two\nlines', '"']],
  ['names in other scripts', ['年龄', 'größe']],
  ['more columns than one piece of the file holds', long],
])('reads %s', async (name, columns) => {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, `${written(columns)}\n"1","2"\n`)
  expect(await columnsOfCases(path)).toEqual(columns)
})

test.each([
  ['an empty file', ''],
  ['a header that breaks off', '"case_id","ag'],
])('refuses %s', async (name, content) => {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, content)
  await expect(columnsOfCases(path)).rejects.toMatchObject({ code: 'NODE_FAILED' })
})
