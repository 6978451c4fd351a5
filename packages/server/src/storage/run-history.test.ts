import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RunDirectory } from './run-directory.js'
import { readHistory } from './run-history.js'

let run: RunDirectory
beforeEach(() => {
  run = new RunDirectory(mkdtempSync(join(tmpdir(), 'medloom-history-')))
  mkdirSync(join(run.path, 'metrics'))
})
afterEach(() => rmSync(run.path, { recursive: true }))

const HEADER = '{"schema_version": 1, "attempt": 2}\n'
const epoch = (number: number) => ({ epoch: number, metrics: { val_loss: 1 / number } })
const lines = (...numbers: number[]) => numbers.map((number) => `${JSON.stringify(epoch(number))}\n`).join('')
const document = (attempt: number) =>
  JSON.stringify({ schema_version: 1, attempt, epochs: [epoch(1), epoch(2), epoch(3)] })

it('is empty before the first epoch', async () => {
  expect(await readHistory(run)).toEqual({ epochs: [], file: run.metrics })
  writeFileSync(run.epochs, HEADER)
  expect(await readHistory(run)).toEqual({ epochs: [], file: run.epochs })
})

it('has every complete line while the next one is written', async () => {
  writeFileSync(run.epochs, `${HEADER}${lines(1, 2)}{"epoch": 3, "met`)
  expect(await readHistory(run, 2)).toEqual({ epochs: [epoch(1), epoch(2)], file: run.epochs })
})

it('of a run of an earlier version is read from metrics.json', async () => {
  writeFileSync(run.metrics, document(1))
  expect((await readHistory(run, 1)).epochs).toHaveLength(3)
})

it('ignores metrics.json of an attempt before the one that wrote the lines', async () => {
  writeFileSync(run.metrics, document(1))
  writeFileSync(run.epochs, `${HEADER}${lines(1)}`)
  expect((await readHistory(run, 2)).epochs).toEqual([epoch(1)])
})

it('leaves out the epochs of a later attempt', async () => {
  writeFileSync(run.epochs, `${HEADER}${lines(1)}`)
  expect((await readHistory(run, 1)).epochs).toEqual([])
})

it('names the unreadable file', async () => {
  writeFileSync(run.epochs, `${HEADER}{"epoch": "one"}\n`)
  expect(await readHistory(run)).toEqual({ epochs: null, file: run.epochs })
})
