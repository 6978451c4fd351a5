import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { filesOf } from './files-of.js'

let root: string
let folder: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-files-')))
  folder = join(root, 'set')
})

function file(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}
const found = async (recursive = true) =>
  (await filesOf(folder, recursive, [root])).map((path) => relative(folder, path))

test('files of a folder and its subfolders, without hidden ones', async () => {
  for (const name of ['b.png', 'a/deep/er/c.png', '.hidden.png', '.hidden/d.png']) file(join(folder, name))
  expect(await found()).toEqual(['a/deep/er/c.png', 'b.png'])
  expect(await found(false)).toEqual(['b.png'])
})

test('links to files and to class folders are followed only inside the roots', async () => {
  const outside = file(join(realpathSync(mkdtempSync(join(tmpdir(), 'medloom-outside-'))), 'x.png'))
  const elsewhere = file(join(root, 'elsewhere', 'nevus', 'a.png'))
  mkdirSync(join(folder, 'train'), { recursive: true })
  symlinkSync(elsewhere, join(folder, 'linked.png'))
  symlinkSync(dirname(elsewhere), join(folder, 'train', 'nevus'))
  symlinkSync(outside, join(folder, 'outside.png'))
  symlinkSync(dirname(outside), join(folder, 'outside'))
  symlinkSync(join(root, 'nothing'), join(folder, 'broken.png'))
  expect(await found()).toEqual(['linked.png', 'train/nevus/a.png'])
})

test('a link to a parent folder does not cause an endless loop', async () => {
  file(join(folder, 'a', 'b', 'c.png'))
  symlinkSync(folder, join(folder, 'a', 'round'))
  expect(await found()).toContain('a/b/c.png')
})
