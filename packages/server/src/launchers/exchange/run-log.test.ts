import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEnd, readLog } from './run-log.js'

let folder: string
let log: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-log-'))
  log = join(folder, 'training.log')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a piece of the log', () => {
  it('put together gives the log, whatever the size of the pieces', async () => {
    const text = 'Größe 5 µm · 😀 fertig\n'.repeat(5)
    writeFileSync(log, text)
    for (const limit of [4, 5, 7, 1000]) {
      let read = ''
      for (let offset = 0, size = 1; offset < size; ) {
        const piece = await readLog(log, offset, limit)
        read += piece.text
        offset = piece.next_offset
        size = piece.size
      }
      expect(read).toBe(text)
    }
  })

  it('gets on even through pieces of one byte', async () => {
    writeFileSync(log, 'ä')
    expect((await readLog(log, 0, 1)).next_offset).toBe(1)
  })

  it('is empty before there is a log, and beyond its end', async () => {
    expect(await readLog(log, 3, 10)).toEqual({ offset: 3, next_offset: 3, size: 0, text: '' })
    writeFileSync(log, 'ab')
    expect(await readLog(log, 9, 10)).toEqual({ offset: 9, next_offset: 9, size: 2, text: '' })
  })
})

describe('the end of the log', () => {
  it('is as much as is asked for, and empty before there is a log', async () => {
    expect(await readEnd(log, 10)).toBe('')
    writeFileSync(log, 'epoch 1\nepoch 2\n')
    expect(await readEnd(log, 8)).toBe('epoch 2\n')
    expect(await readEnd(log, 1000)).toBe('epoch 1\nepoch 2\n')
  })
})
