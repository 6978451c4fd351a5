import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type OutputFolder, openOutputFolder } from './output-folder.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-outputs-')))
const data = join(base, 'data')
const results = join(base, 'results')
mkdirSync(join(data, 'runs'), { recursive: true })
mkdirSync(join(results, 'folder'), { recursive: true })
writeFileSync(join(base, 'train.csv'), 'a\n')
symlinkSync(base, join(results, 'out'))
symlinkSync(join(base, 'train.csv'), join(results, 'table.csv'))
symlinkSync(join(results, 'folder'), join(results, 'within'))

const refused = (folder: OutputFolder, path: string) =>
  expect(folder.resolve(path)).rejects.toMatchObject({
    code: 'PATH_NOT_ALLOWED',
    details: expect.stringContaining(folder.path),
  })

it('is "outputs" in the data folder, or the folder of the setting, which is created', async () => {
  expect((await openOutputFolder(null, data)).path).toBe(join(data, 'outputs'))
  expect((await openOutputFolder(join(base, 'new', 'deep'), data)).path).toBe(join(base, 'new', 'deep'))
})

it('cannot be a part of the data folder that belongs to the service', async () => {
  for (const path of [data, join(data, 'runs')])
    await expect(openOutputFolder(path, data)).rejects.toThrow('contains the data of the service')
  const around = await openOutputFolder(base, data)
  await refused(around, 'data/medloom.db')
  await refused(around, 'data')
  expect(await around.resolve('elsewhere/a.csv')).toBe(join(base, 'elsewhere', 'a.csv'))
})

it.each([
  ['another folder', join(base, 'train.csv')],
  ['the folder above', '../train.csv'],
  ['a neighbor of a similar name', `${results}-old/a.csv`],
  ['a link to a folder outside', 'out/a.csv'],
  ['a link to a file outside', 'table.csv'],
  ['a hidden file', '.bashrc'],
  ['a hidden folder', 'folder/.git/config'],
  ['a NUL', 'a\0.csv'],
])('%s is refused', async (_, path) => {
  await refused(await openOutputFolder(results, data), path)
})

it('relative paths are resolved against it, absolute ones must be inside, and links inside it are followed', async () => {
  const folder = await openOutputFolder(results, data)
  expect(await folder.place('a/../b/c.csv')).toBe('b/c.csv')
  expect(await folder.place(join(results, 'b', 'c.csv'))).toBe('b/c.csv')
  expect(await folder.place('within/c.csv')).toBe('folder/c.csv')
  expect(await folder.place('.')).toBe('')
})

it('a file in a folder has its own name, and a path without extension gets one', async () => {
  const folder = await openOutputFolder(results, data)
  const name = 'model-1234.onnx'
  for (const [path, place] of [
    ['folder', 'folder/model-1234.onnx'],
    ['.', 'model-1234.onnx'],
    ['new/', 'new/model-1234.onnx'],
    ['new', 'new.onnx'],
    ['new.txt', 'new.txt'],
  ] as const)
    expect(await folder.placeOfFile(path, name)).toBe(place)
})

it('that the system refuses is reported with a code and a remedy', async () => {
  await expect(openOutputFolder(join(base, 'a'.repeat(300)), data)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining('PATH_TOO_LONG'),
    remedy: expect.stringContaining('choose another folder with --output-root'),
  })
})
