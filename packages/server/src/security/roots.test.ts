import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRoots, type Roots } from './roots.js'

let base: string
let roots: Roots
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-roots-')))
  for (const folder of ['patients', 'patients-old', 'second', 'data', 'data/runs', 'outside'])
    mkdirSync(join(base, folder))
  for (const file of [
    'patients/a.csv',
    'patients-old/b.csv',
    'second/c.csv',
    'data/d.csv',
    'data/runs/f.csv',
    'outside/e.csv',
  ])
    writeFileSync(join(base, file), 'x')
  symlinkSync(join(base, 'outside'), join(base, 'patients', 'door'))
  symlinkSync(join(base, 'second'), join(base, 'patients', 'passage'))
  symlinkSync(join(base, 'outside'), join(base, 'data', 'runs', 'door'))
  symlinkSync(join(base, 'patients', 'circle'), join(base, 'patients', 'circle'))
  symlinkSync(join(base, 'patients'), join(base, 'other-name'))
  roots = createRoots([join(base, 'patients'), join(base, 'second')], join(base, 'data'))
})
const refused = (code: string) => expect.objectContaining({ code })

describe('a path inside a root resolves to the real file', () => {
  test.each([
    ['a.csv', 'patients/a.csv'],
    ['./a.csv', 'patients/a.csv'],
    ['../second/c.csv', 'second/c.csv'],
    ['passage/c.csv', 'second/c.csv'],
  ])('%s, from the first root', async (requested, real) => {
    expect(await roots.resolve(requested, 'data.train_csv', 'file')).toBe(join(base, real))
  })

  test('absolute, in any root, also by another name of the same folder', async () => {
    expect(await roots.resolve(join(base, 'second/c.csv'), 'x')).toBe(join(base, 'second/c.csv'))
    expect(await roots.resolve(join(base, 'other-name/a.csv'), 'x')).toBe(join(base, 'patients/a.csv'))
  })
})

describe('a path outside is refused, with the name of the field', () => {
  test.each([
    '/etc/passwd',
    '../outside/e.csv',
    '../patients-old/b.csv',
    'door/e.csv',
    'door',
    '../../../../../../etc/passwd',
    '../data/d.csv',
    'a.csv\0.png',
  ])('%j', async (requested) => {
    await expect(roots.resolve(requested, 'data.train_csv')).rejects.toEqual(refused('PATH_NOT_ALLOWED'))
    await expect(roots.resolve(requested, 'data.train_csv')).rejects.toThrow(/^data\.train_csv: /)
  })

  test('whether or not it exists: the response reveals nothing about the machine', async () => {
    await expect(roots.resolve('/etc/no-such-file', 'x')).rejects.toEqual(refused('PATH_NOT_ALLOWED'))
    await expect(roots.resolve('door/no-such-file', 'x')).rejects.toEqual(refused('PATH_NOT_ALLOWED'))
  })

  test('the message contains neither the path nor the roots', async () => {
    const error = await roots.resolve('/etc/passwd', 'x').catch((error: Error) => error)
    expect(JSON.stringify(error)).not.toMatch(/etc|medloom-roots/)
  })
})

test.each(['nothing.csv', 'a.csv/inside', 'circle', 'no/folder/at/all'])(
  '%s, missing inside a root, is FILE_NOT_FOUND',
  async (requested) => {
    await expect(roots.resolve(requested, 'x')).rejects.toEqual(refused('FILE_NOT_FOUND'))
  },
)

test('a file is not a folder and a folder is not a file', async () => {
  await expect(roots.resolve('a.csv', 'x', 'folder')).rejects.toEqual(refused('FILE_NOT_FOUND'))
  await expect(roots.resolve('.', 'x', 'file')).rejects.toEqual(refused('FILE_NOT_FOUND'))
})

test('a pipe is neither, whatever is requested', async () => {
  execFileSync('mkfifo', [join(base, 'patients/pipe.csv')])
  for (const kind of ['file', 'folder', 'any', 'table'] as const)
    await expect(roots.resolve('pipe.csv', 'data.train_csv', kind)).rejects.toMatchObject({
      code: 'FILE_NOT_REGULAR',
      message: 'data.train_csv: pipe.csv is a named pipe, not a regular file',
    })
})

test('a table is limited in size; a file of another kind is not', async () => {
  writeFileSync(join(base, 'patients/sparse.csv'), 'a,b\n')
  truncateSync(join(base, 'patients/sparse.csv'), 200 * 1024 ** 3)
  for (const resolve of [
    () => roots.resolve('sparse.csv', 'path', 'dataset'),
    () => roots.resolve('sparse.csv', 'path', 'table'),
    () => roots.resolveTable('sparse.csv', 'path'),
  ])
    await expect(resolve()).rejects.toMatchObject({
      code: 'TABLE_TOO_LARGE',
      message: expect.stringContaining('214,748,364,800 bytes'),
      details: expect.not.stringContaining('batch'),
    })
  expect(await roots.resolve('sparse.csv', 'path', 'file')).toBe(join(base, 'patients/sparse.csv'))
})

test('a table that a recipe makes may be a folder', async () => {
  expect(await roots.resolveTable('.', 'data.train_csv', 'dataset')).toBe(join(base, 'patients'))
  await expect(roots.resolveTable('.', 'data.train_csv')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(roots.resolveTable(join(base, 'data'), 'x', 'dataset')).rejects.toEqual(
    refused('PATH_NOT_ALLOWED'),
  )
})

test('a checkpoint may also be in the data folder, which no other path may name', async () => {
  const path = join(base, 'data')
  await expect(roots.openCheckpoint(path, 'checkpoint_path')).rejects.toMatchObject({
    code: 'CHECKPOINT_NOT_FOUND',
  })
  await expect(roots.resolve(join(base, 'data'), 'x')).rejects.toEqual(refused('PATH_NOT_ALLOWED'))
})

test('a table of a training may also be in a run directory, and nowhere else in the data folder', async () => {
  const own = join(base, 'data/runs/f.csv')
  expect(await roots.resolveTable(own, 'data.train_csv')).toBe(own)
  expect(await roots.resolveTable('a.csv', 'data.train_csv')).toBe(join(base, 'patients/a.csv'))
  await expect(roots.resolve(own, 'x')).rejects.toEqual(refused('PATH_NOT_ALLOWED'))
  for (const path of ['data/runs/../d.csv', 'data/runs/door/e.csv', 'data/d.csv'])
    await expect(roots.resolveTable(`${base}/${path}`, 'x')).rejects.toEqual(refused('PATH_NOT_ALLOWED'))
})
