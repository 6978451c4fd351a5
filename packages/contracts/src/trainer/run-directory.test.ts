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
