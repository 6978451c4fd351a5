import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeContent } from '@medloom/contracts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ArtifactStore } from '../cache/artifact-store.js'
import { placeFiles } from './place-files.js'
import { ProjectFolder } from './project-folder.js'

let base: string
let store: ArtifactStore
let project: ProjectFolder
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-place-')))
  store = new ArtifactStore(join(base, 'artifacts'))
  project = new ProjectFolder(join(base, 'project'), [])
})
afterEach(() => rmSync(base, { recursive: true }))

async function place(kind: string, folder: string, texts: Record<string, string>): Promise<void> {
  const files = await Promise.all(
    Object.entries(texts).map(async ([name, text]) => ({
      title: name,
      blob: await store.put(text, '.json'),
      path: `${folder}/${name}`,
    })),
  )
  const content = { content: 'files', kind, files } satisfies NodeContent
  await placeFiles(project, store, { out: { type: 'path', digest: 'd', summary: '', content } })
}
const names = (folder: string) => readdirSync(join(project.path, folder)).sort()

it('a checkpoint replaces the one that its node left before, weights of another name too', async () => {
  await place('checkpoint', 'checkpoints/train', { 'checkpoint.json': '1', 'model.aaaa.safetensors': 'old' })
  await place('checkpoint', 'checkpoints/other', { 'model.cccc.safetensors': 'of another node' })
  await place('checkpoint', 'checkpoints/train', { 'checkpoint.json': '2', 'model.bbbb.safetensors': 'new' })
  expect(names('checkpoints/train')).toEqual(['checkpoint.json', 'model.bbbb.safetensors'])
  expect(names('checkpoints/other')).toEqual(['model.cccc.safetensors'])
  expect(readFileSync(join(project.path, 'checkpoints/train/checkpoint.json'), 'utf8')).toBe('2')
})

it('other files leave what stands beside them', async () => {
  mkdirSync(join(project.path, 'artifacts'), { recursive: true })
  writeFileSync(join(project.path, 'artifacts/mine.txt'), 'mine')
  await place('plots', 'artifacts', { 'roc.json': '{}' })
  expect(names('artifacts')).toEqual(['mine.txt', 'roc.json'])
})
