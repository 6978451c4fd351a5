import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { meansFile, readWorkflowFile, workflowOf } from './workflow-file.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-workflow-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: unknown): string {
  const path = join(folder, 'study.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}

it('distinguishes files from ids and names', () => {
  expect(['-', 'study.json', './study', 'a/b', 'package.json'].map(meansFile)).toEqual(Array(5).fill(true))
  expect(['4f1c', '00000000-0000-4000-8000-000000000000', 'my study', 'latest'].map(meansFile)).toEqual(
    Array(4).fill(false),
  )
})

it('finds the line of a node by its id, even with dots in the id', () => {
  const path = file({
    version: '1.1',
    nodes: [
      { id: 'load', type: 'LoadDataset', config: { dataset_id: 'x' } },
      { id: 'a.b', type: 'ImagePreprocess', config: { resize: 3 } },
    ],
    connections: [{ id: 'c1' }],
  })
  const { placeOf } = readWorkflowFile(path)
  const line = (issue: string) => Number(placeOf({ path: issue })?.split(':').at(-1))
  expect(line('nodes.load')).toBe(4)
  expect(line('nodes.load.config.dataset_id')).toBe(8)
  expect(line('nodes.a.b.config.resize')).toBe(15)
  expect(line('nodes.a.b.config.later')).toBe(14)
  expect(line('connections.c1')).toBe(20)
  expect(line('connections.0.source')).toBe(20)
  expect(placeOf({ path: 'revision' })).toBeNull()
})

it('uses the longest known id if one id is a prefix of another', () => {
  const path = file({
    version: '1.1',
    nodes: [
      { id: 'a', config: { b: 1 } },
      { id: 'a.b', config: { resize: 3 } },
    ],
  })
  const { placeOf } = readWorkflowFile(path)
  const line = (issue: string) => Number(placeOf({ path: issue })?.split(':').at(-1))
  expect([line('nodes.a.config.b'), line('nodes.a.b.config.resize')]).toEqual([7, 13])
})

it('keeps unknown fields, and migrates old versions', () => {
  const path = file({ version: '0.9', nodes: [], plugins: ['x'] })
  expect(workflowOf(readWorkflowFile(path))).toMatchObject({ version: '1.1', plugins: ['x'] })
  expect(readWorkflowFile(path).document).toEqual({ version: '0.9', nodes: [], plugins: ['x'] })
})

it.each([
  ['nothing there', () => join(folder, 'none.json'), /cannot be read/],
  ['no JSON', () => file('{"version": '), /not valid JSON/],
  ['no object', () => file([1]), /does not contain a workflow/],
])('refuses %s', (_, path, message) => {
  expect(() => readWorkflowFile(path())).toThrow(message)
})

it('lists every problem of the structure', () => {
  const path = file({ version: '1.1', nodes: [{ id: '' }], connections: 3 })
  expect(() => workflowOf(readWorkflowFile(path))).toThrow(
    expect.objectContaining({
      issues: expect.arrayContaining([expect.objectContaining({ path: 'connections' })]),
    }),
  )
})
