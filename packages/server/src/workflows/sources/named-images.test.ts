import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { NamedImages, pathsInside } from './named-images.js'

let root: string
let undecided: string[]
let pool: { run: ReturnType<typeof vi.fn> }
let images: NamedImages
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-named-')))
  undecided = []
  pool = {
    run: vi.fn(async () => ({ tables: [[{ folder: 'images', names: ['a.png'] }]], undecided })),
  }
  images = new NamedImages(pool as never)
  write('t.csv', 'image,label\nimages/a.png,1\n')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

/** A file that has not changed for long. */
function write(name: string, content: string, seconds = 1000): void {
  writeFileSync(join(root, name), content)
  utimesSync(join(root, name), seconds, seconds)
}
const table = () => ({ path: join(root, 't.csv'), image_root: root, format: null, encoding: 'auto' })
const find = () => images.find([table()], [])
const LATER = 60_000

describe('what a table names', () => {
  beforeEach(() => {
    // The time at which a file was made cannot be set.
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now + LATER)
  })

  test('is read once while the table stays the same', async () => {
    expect(await find()).toEqual([[{ folder: join(root, 'images'), names: ['a.png'] }]])
    expect(await find()).toBe(await find())
    expect(pool.run).toHaveBeenCalledOnce()
    expect(pool.run).toHaveBeenCalledWith(
      'named_images',
      { tables: [table()], image_columns: [] },
      { reads: { bytes: 27 } },
    )
  })

  test('is read once for several callers at a time', async () => {
    const [first, second] = await Promise.all([find(), find()])
    expect(first).toBe(second)
    expect(pool.run).toHaveBeenCalledOnce()
  })

  test('is read again when the table, its encoding or the chosen columns change', async () => {
    await find()
    write('t.csv', 'image,label\nimages/b.png,1\n', 1001)
    await find()
    expect(pool.run).toHaveBeenCalledTimes(2)
    await images.find([{ ...table(), encoding: 'cp1252' }], [])
    await images.find([table()], ['image'])
    expect(pool.run).toHaveBeenCalledTimes(4)
  })

  test('is read again when a file appears that may make another column an image column', async () => {
    undecided = [join(root, 'scans')]
    await find()
    await find()
    expect(pool.run).toHaveBeenCalledTimes(1)
    mkdirSync(join(root, 'scans'))
    await find()
    expect(pool.run).toHaveBeenCalledTimes(2)
    write('scans/0001', '')
    await find()
    expect(pool.run).toHaveBeenCalledTimes(3)
  })

  test('is read again after a failure', async () => {
    pool.run.mockRejectedValueOnce(new Error('no worker'))
    await expect(find()).rejects.toThrow('no worker')
    expect(await find()).toHaveLength(1)
  })
})

test('a table that has just changed is read again, since it may change within the same tick of its clock', async () => {
  await find()
  await find()
  expect(pool.run).toHaveBeenCalledTimes(2)
})

describe('paths inside the roots', () => {
  const inside = (folder: string, ...names: string[]) => pathsInside([root], [{ folder, names }])

  test('are those of folders that lead to a root', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-outside-')))
    symlinkSync(outside, join(root, 'way-out'))
    symlinkSync(root, join(outside, 'way-in'))
    expect(await inside(root, 'a.png', 'missing.png')).toEqual([
      join(root, 'a.png'),
      join(root, 'missing.png'),
    ])
    expect(await inside(join(outside, 'way-in'), 'a.png')).toEqual([join(outside, 'way-in', 'a.png')])
    for (const folder of [outside, join(root, 'way-out'), '/', '/etc', join(root, 'none')])
      expect(await inside(folder, 'a.png', 'etc', 'passwd')).toEqual([])
  })

  test('contain a root that is named itself', async () => {
    expect(await inside(dirname(root), basename(root), 'other')).toEqual([root])
  })
})
