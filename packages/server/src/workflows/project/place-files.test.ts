/** @module-tag service */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeContent, PlacedFile } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migratedFile } from '../../../testing/migrated-file.js'
import { type Database, openDatabase } from '../../database/database.js'
import { openOutputFolder } from '../../security/output-folder.js'
import { ArtifactStore } from '../cache/artifact-store.js'
import { OutputFiles } from '../outputs/output-files.js'
import { WrittenFilesRepository } from '../outputs/written-files.repository.js'
import { createFilePlacer } from './place-files.js'
import { ProjectFolder } from './project-folder.js'

let base: string
let store: ArtifactStore
let project: ProjectFolder
let database: Database
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-place-')))
  store = new ArtifactStore(join(base, 'artifacts'))
  project = new ProjectFolder(join(base, 'project'))
  database = await openDatabase(await migratedFile(join(base, 'medloom.db')))
})
afterEach(async () => {
  await database.destroy()
  rmSync(base, { recursive: true })
})

/** The file placer of one run. */
async function placer() {
  const folder = await openOutputFolder(join(base, 'outputs'), join(base, 'data'))
  const place = createFilePlacer(project, {
    store,
    folder,
    files: new OutputFiles(new WrittenFilesRepository(database)),
    owner: null,
  })
  return async (
    kind: string,
    folder: string,
    texts: Record<string, string>,
    below?: PlacedFile['below'],
  ): Promise<readonly string[] | undefined> => {
    const files = await Promise.all(
      Object.entries(texts).map(async ([name, text]) => ({
        title: name,
        blob: await store.put(text, '.json'),
        path: join(folder, name),
        ...(below ? { below } : {}),
      })),
    )
    const content = { content: 'files', kind, files } satisfies NodeContent
    return (await place({ out: { type: 'path', digest: 'd', summary: '', content } })?.())?.out
  }
}

describe('in the project folder', () => {
  const names = (folder: string) => readdirSync(join(project.path, folder)).sort()

  it('a checkpoint replaces the previous one of its node, even with another name of the weights', async () => {
    const place = await placer()
    await place('checkpoint', 'checkpoints/train', {
      'checkpoint.json': '1',
      'model.aaaa.safetensors': 'old',
    })
    await place('checkpoint', 'checkpoints/other', { 'model.cccc.safetensors': 'of another node' })
    await place('checkpoint', 'checkpoints/train', {
      'checkpoint.json': '2',
      'model.bbbb.safetensors': 'new',
    })
    expect(names('checkpoints/train')).toEqual(['checkpoint.json', 'model.bbbb.safetensors'])
    expect(names('checkpoints/other')).toEqual(['model.cccc.safetensors'])
    expect(readFileSync(join(project.path, 'checkpoints/train/checkpoint.json'), 'utf8')).toBe('2')
  })

  it('other files do not affect existing ones, and their full paths are returned', async () => {
    mkdirSync(join(project.path, 'artifacts'), { recursive: true })
    writeFileSync(join(project.path, 'artifacts/mine.txt'), 'mine')
    const place = await placer()
    expect(await place('plots', 'artifacts', { 'roc.json': '{}' })).toEqual([
      join(project.path, 'artifacts', 'roc.json'),
    ])
    expect(names('artifacts')).toEqual(['mine.txt', 'roc.json'])
  })
})

describe('below the output folder', () => {
  const file = () => join(base, 'outputs', 'here', 'a.json')
  const text = () => readFileSync(file(), 'utf8')
  const write = async (content: string) =>
    (await placer())('export', 'here', { 'a.json': content }, 'outputs')
  const exists = { type: 'OUTPUT_EXISTS', message: expect.stringMatching(/a\.json.*Choose another path/) }

  it('a later run replaces files of an earlier one', async () => {
    expect(await write('1')).toEqual([file()])
    await write('2')
    expect(text()).toBe('2')
    await write('1')
    expect(text()).toBe('1')
    expect(readdirSync(join(base, 'outputs', 'here'))).toEqual(['a.json'])
  })

  it('a file that was not written here, or was changed since, is never replaced', async () => {
    mkdirSync(join(base, 'outputs', 'here'), { recursive: true })
    writeFileSync(file(), 'of a person')
    await expect(write('1')).rejects.toMatchObject(exists)
    expect(text()).toBe('of a person')
    rmSync(file())
    await write('1')
    writeFileSync(file(), 'corrected by hand')
    await expect(write('2')).rejects.toMatchObject(exists)
    expect(text()).toBe('corrected by hand')
  })

  it('an identical file of a user does not become ours', async () => {
    mkdirSync(join(base, 'outputs', 'here'), { recursive: true })
    writeFileSync(file(), '1')
    expect(await write('1')).toEqual([file()])
    await expect(write('2')).rejects.toMatchObject(exists)
  })

  it('a write interrupted by a crash after the file existed is known to the next run', async () => {
    const ours = new WrittenFilesRepository(database)
    const blob = await store.put('1', '.json')
    await write('0')
    await ours.add(file(), blob.sha256, null)
    await write('2')
    expect(text()).toBe('2')
  })

  it('a folder and a dangling link are not replaced, and no link leads out', async () => {
    mkdirSync(file(), { recursive: true })
    await expect(write('1')).rejects.toMatchObject(exists)
    rmSync(file(), { recursive: true })
    symlinkSync(join(base, 'outputs', 'nothing'), file())
    await expect(write('1')).rejects.toMatchObject(exists)
    rmSync(join(base, 'outputs', 'here'), { recursive: true })
    mkdirSync(join(base, 'elsewhere'))
    symlinkSync(join(base, 'elsewhere'), join(base, 'outputs', 'here'))
    await expect(write('1')).rejects.toMatchObject({ type: 'PATH_NOT_ALLOWED' })
    expect(readdirSync(join(base, 'elsewhere'))).toEqual([])
  })

  it('two nodes of one run do not overwrite each other', async () => {
    const place = await placer()
    await place('export', 'here', { 'a.json': '1' }, 'outputs')
    await expect(place('export', 'here', { 'a.json': '2' }, 'outputs')).rejects.toMatchObject({
      type: 'OUTPUT_PATH_TAKEN',
    })
    expect(text()).toBe('1')
  })
})
