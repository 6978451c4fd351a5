import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../testing/training/until.js'
import { EventTail, readChunk } from './event-file.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-tail-'))
  file = join(folder, 'events.1.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a chunk', () => {
  it.each([
    ['whole lines', 'a\nb\n', 0, { start: 0, end: 4, lines: ['a', 'b'] }],
    ['what follows the offset', 'a\nb\n', 2, { start: 2, end: 4, lines: ['b'] }],
    ['not the line that lacks its end', 'a\nb', 0, { start: 0, end: 2, lines: ['a'], more: true }],
    ['nothing when only a piece of a line is there', 'a', 0, null],
    ['nothing at the end', 'a\n', 2, null],
    ['nothing beyond the end, should the file have been cut', 'a\n', 9, null],
    ['empty lines as they are', 'a\n\nb\n', 0, { start: 0, end: 5, lines: ['a', '', 'b'] }],
    ['characters of several bytes', 'ä€😀\n', 0, { start: 0, end: 10, lines: ['ä€😀'] }],
  ])('is %s', async (_, content, offset, expected) => {
    writeFileSync(file, content)
    expect(await readChunk(file, offset)).toEqual(expected)
  })

  it('is nothing while there is no file', async () => {
    expect(await readChunk(file, 0)).toBeNull()
  })

  it('is bounded, and a line that fills it does not hold up the rest', async () => {
    writeFileSync(file, `${'x'.repeat(25)}\nok\n`)
    const lines = []
    for (let offset = 0; ; ) {
      const chunk = await readChunk(file, offset, 10)
      if (!chunk) break
      lines.push(...chunk.lines)
      offset = chunk.end
    }
    expect(lines.join('')).toBe(`${'x'.repeat(25)}ok`)
    expect(lines.at(-1)).toBe('ok')
  })
})

describe('the tail', () => {
  it('looks when the file grows, and never twice at a time', async () => {
    let looking = 0
    let offset = 0
    const lines: string[] = []
    const tail = new EventTail(
      file,
      async () => {
        expect(++looking).toBe(1)
        for (let chunk = await readChunk(file, offset); chunk; chunk = await readChunk(file, offset)) {
          lines.push(...chunk.lines)
          offset = chunk.end
        }
        looking -= 1
      },
      50,
    )
    for (let line = 0; line < 200; line++) {
      appendFileSync(file, `${line}\n`)
      if (line % 10 === 0) await delay(3)
    }
    await until(() => lines.length >= 200)
    await tail.close()
    expect(lines).toEqual(Array.from({ length: 200 }, (_, line) => String(line)))
  })

  it('looks no more once it is closed', async () => {
    let looks = 0
    const tail = new EventTail(
      file,
      async () => {
        looks += 1
      },
      20,
    )
    await tail.close()
    const before = looks
    appendFileSync(file, 'late\n')
    await delay(80)
    expect(looks).toBe(before)
  })

  it('of many rests between its looks, and closes at once all the same', async () => {
    let looks = 0
    let left = 0
    const hours = { join: () => () => void left++, milliseconds: 3_600_000 }
    const look = async () => {
      looks += 1
    }
    const tail = new EventTail(file, look, 5, hours)
    await until(() => looks === 1)
    for (let line = 0; line < 20; line++) {
      appendFileSync(file, `${line}\n`)
      await delay(1)
    }
    expect(looks).toBe(1)
    await tail.close()
    expect([looks, left]).toEqual([1, 1])
  })
})
