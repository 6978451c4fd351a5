import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readLog, readTrace, traceOf } from './run-log.js'

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

describe('the trace', () => {
  const traceback = [
    'epoch 3',
    'Traceback (most recent call last):',
    '  File "/opt/app/train.py", line 12, in <module>',
    '    main("patient 4711")',
    '  File "/opt/app/data.py", line 3, in read_row',
    '    raise ValueError(value)',
    'ValueError: age of patient 4711 is 230',
  ]

  it('keeps the places and the kind of the exception, and nothing that may quote a patient', () => {
    expect(traceOf(traceback.join('\n'))).toBe(
      [
        'Traceback (most recent call last):',
        '  File "/opt/app/train.py", line 12, in <module>',
        '  File "/opt/app/data.py", line 3, in read_row',
        'ValueError',
      ].join('\n'),
    )
  })

  it('shows where a crash outside of Python happened', () => {
    const crash =
      'Fatal Python error: Segmentation fault\n\nCurrent thread 0x00 (most recent call first):\n  File "/opt/a.py", line 1 in f\n'
    expect(traceOf(crash)).toContain('  File "/opt/a.py", line 1, in f')
  })

  it('is the last one, and null where there is none', async () => {
    writeFileSync(log, [...traceback, 'went on', ...traceback.slice(1, 3), 'KeyError: 7'].join('\n'))
    expect(await readTrace(log)).toBe(
      'Traceback (most recent call last):\n  File "/opt/app/train.py", line 12, in <module>\nKeyError',
    )
    writeFileSync(log, 'all is well\n')
    expect(await readTrace(log)).toBeNull()
  })
})
