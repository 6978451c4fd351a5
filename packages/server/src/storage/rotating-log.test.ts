import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { cutLongLog, RotatingLog } from './rotating-log.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-rotating-'))
  path = join(folder, 'worker.log')
})
const limit = { bytes: 100, files: 3 }
const names = () => readdirSync(folder).sort()
const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
const line = (number: number) => `line ${String(number).padStart(4, '0')}`

test('a log of any length uses a limited number of files, newest lines first, in order', async () => {
  const log = new RotatingLog(path, limit)
  await Promise.all(Array.from({ length: 200 }, (_, number) => log.append(`${line(number)}\n`)))
  expect(names()).toEqual(['worker.log', 'worker.log.1', 'worker.log.2'])
  const lines = ['worker.log.2', 'worker.log.1', 'worker.log'].flatMap(linesOf)
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, index) => line(200 - lines.length + index)))
  expect(lines.length).toBeGreaterThanOrEqual(20)
  for (const name of names()) expect(readFileSync(join(folder, name)).length).toBeLessThanOrEqual(100)
})

test('a log that an earlier service left long continues in a new file; a text longer than a file stays in one piece', async () => {
  appendFileSync(path, 'x'.repeat(500))
  const log = new RotatingLog(path, limit)
  await log.append(`${'y'.repeat(300)}\n`)
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('x'.repeat(500))
  expect(readFileSync(path, 'utf8')).toBe(`${'y'.repeat(300)}\n`)
})

test('a failed write is reported, and later writes succeed once they can', async () => {
  const log = new RotatingLog(join(folder, 'absent', 'worker.log'), limit)
  await expect(log.append('lost\n')).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(log.append('lost too\n')).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a process with an open long log continues in its new file', () => {
  const writer = openSync(path, 'a')
  for (let number = 0; number < 50; number++) {
    writeSync(writer, `${line(number)}\n`)
    cutLongLog(path, limit)
  }
  closeSync(writer)
  expect(names()).toEqual(['worker.log', 'worker.log.1', 'worker.log.2'])
  const lines = ['worker.log.2', 'worker.log.1', 'worker.log'].flatMap(linesOf)
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, index) => line(50 - lines.length + index)))
})
