import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { afterAll, expect, test } from 'vitest'
import { readHeader } from './csv-header.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-header-'))
afterAll(() => rmSync(folder, { recursive: true }))
const long = Array.from({ length: 20_000 }, (_, column) => `gene ${column}`)

test.each<[string, string, string[]]>([
  ['bare names', 'id,age,label\n1,2,3\n', ['id', 'age', 'label']],
  ['quoted names, and quotes in them', '"id","say ""ah""","a,b"\r\n"1","2","3"', ['id', 'say "ah"', 'a,b']],
  ['a line break in a name', '"id","two\nlines"\n"1","2"\n', ['id', 'two\nlines']],
  ['a name that is empty', 'id,,label\n', ['id', '', 'label']],
  ['no row', 'id,age', ['id', 'age']],
  ['a byte order mark', '\uFEFF"id",age\n', ['id', 'age']],
  ['more columns than one piece of the file holds', `${long.join(',')}\n1`, long],
])('reads %s', async (name, content, expected) => {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, content)
  expect(await readHeader(path)).toEqual(expected)
})

test.each([
  ['more columns', 'x,'.repeat(LIMITS.table_columns)],
  ['a longer header', 'x'.repeat(5 * 1024 * 1024)],
])('refuses %s than can be read', async (name, header) => {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, `${header}\n1\n`)
  await expect(readHeader(path)).rejects.toMatchObject({
    code: 'TABLE_TOO_LARGE',
    message: `${name}.csv: the header names more columns than the 25,000 that can be read`,
    details: expect.stringContaining('Leave out columns'),
  })
})
