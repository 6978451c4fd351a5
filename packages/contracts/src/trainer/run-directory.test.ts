import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RUN_PATHS, runPath } from '../index.js'

it('gives relative paths with their values filled in', () => {
  expect(runPath('log')).toBe('logs/training.log')
  expect(runPath('events', { attempt: 2 })).toBe('events.2.jsonl')
  expect(runPath('manifest', { name: 'best' })).toBe('checkpoints/best/checkpoint.json')
})

it('names no path twice, and none outside the run directory', () => {
  const paths = Object.values(RUN_PATHS)
  expect(new Set(paths).size).toBe(paths.length)
  for (const path of paths) expect(path).toMatch(/^[\w{}.-]+(\/[\w{}.-]+)*$/)
  for (const path of paths) expect(path.split('/')).not.toContain('..')
})

it('is where the sources of the service take them from: none spells a file of a run out', () => {
  const names = new Set(Object.values(RUN_PATHS).map((path) => path.split('/').at(-1) ?? ''))
  const files = [...names].filter((name) => /\.\w+$/.test(name) && !name.includes('{'))
  expect(files).toContain('checkpoint.json')
  for (const folder of ['launchers', 'models', 'reports', 'storage', 'training'])
    for (const file of sources(join(SERVER, folder)))
      for (const name of files)
        expect(readFileSync(file, 'utf8').includes(`'${name}'`), `${name} in ${file}`).toBe(false)
})

const SERVER = join(import.meta.dirname, '../../../server/src')
const sources = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.ts') && !file.name.endsWith('.test.ts'))
    .map((file) => join(file.parentPath, file.name))
