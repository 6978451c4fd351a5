import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReadingThread } from './reading-thread.js'

let folder: string
let file: string
let thread: ReadingThread
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-reading-'))
  file = join(folder, 'events.1.jsonl')
  thread = new ReadingThread()
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
    expect(await thread.lines(file, offset)).toEqual(expected)
  })

  it('is null while there is no file', async () => {
    expect(await thread.lines(file, 0)).toBeNull()
  })

  it('is limited, and a line that exceeds the limit does not block the rest', async () => {
    writeFileSync(file, `${'x'.repeat(25)}\nok\n`)
    const lines = []
    for (let offset = 0; ; ) {
      const chunk = await thread.lines(file, offset, 10)
      if (!chunk) break
      lines.push(...chunk.lines)
      offset = chunk.end
    }
    expect(lines.join('')).toBe(`${'x'.repeat(25)}ok`)
    expect(lines.at(-1)).toBe('ok')
  })
})

describe('the thread', () => {
  it('answers each request, whatever others are sent in the same turn', async () => {
    writeFileSync(file, 'a\nb\n')
    const missing = join(folder, 'missing')
    expect(
      await Promise.all([
        thread.text(file),
        thread.text(missing),
        thread.absent([folder, file]),
        thread.absent([folder, missing, file]),
        thread.lines(file, 2),
      ]),
    ).toEqual(['a\nb\n', '', null, missing, { start: 2, end: 4, lines: ['b'] }])
  })

  it('fails only the request that it cannot answer', async () => {
    writeFileSync(file, 'a\n')
    const results = await Promise.allSettled([thread.lines(folder, 0), thread.lines(file, 0)])
    expect(results[0]).toMatchObject({ status: 'rejected', reason: { code: 'EISDIR' } })
    expect(results[1]).toMatchObject({ status: 'fulfilled', value: { lines: ['a'] } })
  })

  it('that is lost fails pending requests, and answers later ones', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>
    writeFileSync(file, 'a\n')
    await thread.text(file)
    const [worker] = await started
    worker.postMessage(null)
    await expect(thread.text(file)).rejects.toThrow('the thread that reads the files of runs has ended')
    expect(await thread.text(file)).toBe('a\n')
  })
})
