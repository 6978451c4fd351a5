import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { markOf, withFileState } from './file-state.js'

let base: string
let table: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-file-state-')))
  table = join(base, 'study.csv')
  writeFileSync(table, 'label\n1\n')
})
afterEach(() => rmSync(base, { recursive: true }))

const READY = { status: 'ready' as const, checks: [] }
const registered = async (path: string, more: object = {}) => ({
  ...{ path, image_root: null, readiness: READY, files_mark: (await markOf(path)) ?? undefined },
  ...more,
})
const stateOf = async (dataset: Awaited<ReturnType<typeof registered>>) => {
  const { readiness } = await withFileState(dataset)
  return [readiness.status, readiness.checks.map(({ key }) => key)]
}

describe('a registered dataset', () => {
  it('has the readiness of its inspection while its files are unchanged', async () => {
    expect(await stateOf(await registered(table))).toEqual(['ready', []])
  })

  it('is changed once its table is written again, even with the same size', async () => {
    const dataset = await registered(table)
    writeFileSync(table, 'label\n0\n')
    utimesSync(table, 10, 10)
    expect(await stateOf(dataset)).toEqual(['warning', ['files_changed']])
  })

  it('is changed once a table that its recipe reads from a subfolder is written again, or is new', async () => {
    const recipe = { files: [{ name: 'cases', path: '{site}/cases.csv' }] }
    mkdirSync(join(base, 'north'))
    writeFileSync(join(base, 'north', 'cases.csv'), 'label\n1\n')
    const dataset = await registered(base, { files_mark: await markOf(base, recipe) })
    writeFileSync(join(base, 'north', 'notes.csv'), 'x\n')
    expect(await stateOf(dataset)).toEqual(['ready', []])
    writeFileSync(join(base, 'north', 'cases.csv'), 'label\n10\n')
    expect(await stateOf(dataset)).toEqual(['warning', ['files_changed']])
    const again = await registered(base, { files_mark: await markOf(base, recipe) })
    mkdirSync(join(base, 'south'))
    writeFileSync(join(base, 'south', 'cases.csv'), 'label\n1\n')
    expect(await stateOf(again)).toEqual(['warning', ['files_changed']])
  })

  it('is blocked once its table is missing', async () => {
    const dataset = await registered(table)
    renameSync(table, join(base, 'elsewhere.csv'))
    expect(await stateOf(dataset)).toEqual(['blocked', ['files_missing']])
  })

  it('is blocked once the folder of its images is missing', async () => {
    expect(await stateOf(await registered(table, { image_root: join(base, 'images') }))).toEqual([
      'blocked',
      ['files_missing'],
    ])
  })

  it('is changed when a table is added to its folder, but not when another file is added', async () => {
    const dataset = await registered(base)
    writeFileSync(join(base, 'notes.txt'), '')
    expect((await stateOf(dataset))[0]).toBe('ready')
    writeFileSync(join(base, 'test.csv'), 'label\n')
    expect(await stateOf(dataset)).toEqual(['warning', ['files_changed']])
  })

  it.each(['participants.tsv', 'study.csv.gz', 'study.parquet', 'study.sav', 'study.dta', 'study.sas7bdat'])(
    'is changed when its %s is written again',
    async (name) => {
      const folder = join(base, 'study')
      mkdirSync(folder)
      writeFileSync(join(folder, name), 'a')
      const dataset = await registered(folder)
      expect((await stateOf(dataset))[0]).toBe('ready')
      writeFileSync(join(folder, name), 'ab')
      expect(await stateOf(dataset)).toEqual(['warning', ['files_changed']])
    },
  )

  it('is blocked once the folder of its images is empty', async () => {
    const images = join(base, 'images')
    mkdirSync(images)
    writeFileSync(join(images, '1.png'), '')
    const dataset = await registered(table, { image_root: images })
    expect(await stateOf(dataset)).toEqual(['ready', []])
    rmSync(join(images, '1.png'))
    expect(await stateOf(dataset)).toEqual(['blocked', ['files_missing']])
  })

  it('with the mark of an earlier version is changed only with the files of that mark', async () => {
    const digest = createHash('sha256')
    writeFileSync(join(base, 'participants.tsv'), '')
    const { size, mtimeMs } = statSync(table)
    digest.update(JSON.stringify(['/study.csv', size, mtimeMs]))
    const dataset = await registered(base, { files_mark: digest.digest('hex') })
    expect(await stateOf(dataset)).toEqual(['ready', []])
    writeFileSync(table, 'label\n')
    expect(await stateOf(dataset)).toEqual(['warning', ['files_changed']])
  })

  it('is changed when a class of its images gets another image', async () => {
    const folder = join(base, 'classes')
    for (const name of ['no', 'yes']) mkdirSync(join(folder, name), { recursive: true })
    for (const name of ['no', 'yes']) utimesSync(join(folder, name), 10, 10)
    const dataset = await registered(folder)
    writeFileSync(join(folder, 'yes', '1.png'), '')
    expect(await stateOf(dataset)).toEqual(['warning', ['files_changed']])
  })

  it('keeps a worse state that its inspection found', async () => {
    const blocked = { status: 'blocked' as const, checks: [] }
    const dataset = await registered(table, { readiness: blocked, files_mark: 'other' })
    expect(await stateOf(dataset)).toEqual(['blocked', ['files_changed']])
  })

  it('of an earlier version is only checked for existence', async () => {
    expect(await stateOf(await registered(table, { files_mark: undefined }))).toEqual(['ready', []])
  })
})
