import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
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
  it('combined with the others gives the log, whatever the size of the pieces', async () => {
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

  it('makes progress even with pieces of one byte', async () => {
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
  it('has the requested length, and is empty before there is a log', async () => {
    expect(await readEnd(log, 10)).toBe('')
    writeFileSync(log, 'epoch 1\nepoch 2\n')
    expect(await readEnd(log, 8)).toBe('epoch 2\n')
    expect(await readEnd(log, 1000)).toBe('epoch 1\nepoch 2\n')
  })
})

describe('a log without its middle part', () => {
  const part = (start: number, text: string) => writeFileSync(`${log}.${start}`, text)
  const all = async (limit: number) => {
    const read: [offset: number, text: string][] = []
    for (let offset = 0, size = 1; offset < size; ) {
      const piece = await readLog(log, offset, limit)
      read.push([piece.offset, piece.text])
      offset = piece.next_offset
      size = piece.size
    }
    return read
  }

  it('is read by position; a request for a removed part gets the position of the next text', async () => {
    part(0, 'begin\n')
    part(1000, 'newer\n')
    writeFileSync(log, 'newest\n')
    expect(await readLog(log, 0, 100)).toEqual({ offset: 0, next_offset: 6, size: 1013, text: 'begin\n' })
    const after = { offset: 1000, next_offset: 1013, size: 1013, text: 'newer\nnewest\n' }
    expect(await readLog(log, 6, 100)).toEqual(after)
    expect(await readLog(log, 500, 100)).toEqual(after)
    expect(await readLog(log, 1003, 5)).toMatchObject({ offset: 1003, next_offset: 1008, text: 'er\nne' })
    expect(await readLog(log, 1013, 100)).toMatchObject({ offset: 1013, next_offset: 1013, text: '' })
    expect(await readEnd(log, 9)).toBe('r\nnewest\n')
    expect(await readEnd(log, 1000)).toBe('newer\nnewest\n')
  })

  it('is combined across its parts, even within a character, whatever the size of the pieces', async () => {
    const text = Buffer.from('Größe 5 µm · 😀 fertig\n')
    for (let cut = 1; cut < text.length; cut++) {
      part(0, '')
      writeFileSync(`${log}.0`, text.subarray(0, cut))
      writeFileSync(log, text.subarray(cut))
      for (const limit of [4, 7, 1000])
        expect((await all(limit)).map(([, piece]) => piece).join('')).toBe(text.toString())
    }
  })

  it('is complete at every step at which a trainer that shortens it can be killed', async () => {
    const [text, later] = ['line 1\nline 2\n', 'line 3\n']
    const whole = async (expected: string) => {
      expect(await all(1000)).toEqual([[0, expected]])
      expect(await readEnd(log, 7)).toBe(expected.slice(-7))
    }
    writeFileSync(log, text)
    const pending = `${log}.0-${text.length}.pending`
    writeFileSync(pending, 'line')
    await whole(text)
    writeFileSync(pending, text)
    await whole(text)
    truncateSync(log, 0)
    await whole(text)
    appendFileSync(log, later)
    await whole(text + later)
    renameSync(pending, `${log}.0`)
    await whole(text + later)
  })

  it('gives a follower every line once while it is shortened', async () => {
    let shortened = 0
    let written = ''
    let read = ''
    let offset = 0
    for (let number = 0; number < 300; number++) {
      const line = `line ${number}\n`
      appendFileSync(log, line)
      written += line
      const following = readLog(log, offset, 64)
      if (number % 30 === 29) {
        const tail = written.slice(shortened)
        const pending = `${log}.${shortened}-${tail.length}.pending`
        writeFileSync(pending, tail)
        await new Promise(setImmediate)
        truncateSync(log, 0)
        await new Promise(setImmediate)
        renameSync(pending, `${log}.${shortened}`)
        shortened = written.length
      }
      const piece = await following
      expect(piece.offset).toBe(offset)
      read += piece.text
      offset = piece.next_offset
    }
    while (offset < written.length) {
      const piece = await readLog(log, offset, 1000)
      read += piece.text
      offset = piece.next_offset
    }
    expect(read).toBe(written)
  })
})
