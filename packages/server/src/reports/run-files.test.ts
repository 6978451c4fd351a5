import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readRunFiles } from './run-files.js'

let runDir: string
beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'medloom-run-files-'))
  mkdirSync(join(runDir, 'metrics'))
})
afterEach(() => rmSync(runDir, { recursive: true }))

it.each([
  ['of this attempt counts', { attempt: 2 }, 1],
  ['of an attempt that this one went on from counts', { attempt: 1 }, 1],
  ['of a later attempt does not', { attempt: 3 }, 0],
  ['of an older version, which names none, counts', {}, 1],
])('the history %s', async (_, written, expected) => {
  const epochs = [{ epoch: 1, metrics: { train_loss: 0.5 } }]
  writeFileSync(
    join(runDir, 'metrics/metrics.json'),
    JSON.stringify({ schema_version: 1, ...written, epochs }),
  )
  const { history, unreadable } = await readRunFiles(runDir, 2)
  expect(history).toHaveLength(expected)
  expect(unreadable).toEqual([])
})

it('the held-out fold of this attempt is read', async () => {
  const example = readFileSync(join(import.meta.dirname, '../../../reports/testing/binary.json'), 'utf8')
  const written = { ...JSON.parse(example), split: 'held-out', attempt: 2 }
  writeFileSync(join(runDir, 'metrics/held-out.json'), JSON.stringify(written))
  expect((await readRunFiles(runDir, 2)).heldOut?.split).toBe('held-out')
  expect((await readRunFiles(runDir, 1)).heldOut).toBeNull()
})

it.each([
  ['of this attempt counts', { attempt: 2 }, 'val'],
  ['of an attempt that this one went on from counts', { attempt: 1 }, 'val'],
  ['of a later attempt does not', { attempt: 3 }, undefined],
  ['of an older version, which names none, counts', {}, 'val'],
])('the validation %s', async (_, written, expected) => {
  const example = readFileSync(join(import.meta.dirname, '../../../reports/testing/binary.json'), 'utf8')
  writeFileSync(
    join(runDir, 'metrics/validation.json'),
    JSON.stringify({ ...JSON.parse(example), split: 'val', ...written }),
  )
  const { validation, unreadable } = await readRunFiles(runDir, 2)
  expect(validation?.split).toBe(expected)
  expect(unreadable).toEqual([])
})
