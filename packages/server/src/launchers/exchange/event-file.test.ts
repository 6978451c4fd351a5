import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../testing/training/until.js'
import { EventTail } from './event-file.js'
import { runFiles } from './reading/reading-thread.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-tail-'))
  file = join(folder, 'events.1.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the tail', () => {
  it('reads when the file grows, and never twice at a time', async () => {
    let looking = 0
    let offset = 0
    const lines: string[] = []
    const next = () => runFiles.lines(file, offset)
    const tail = new EventTail(
      file,
      async () => {
        expect(++looking).toBe(1)
        for (let chunk = await next(); chunk; chunk = await next()) {
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

  it('does not read once it is closed', async () => {
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

  it('closes at once although it pauses between its reads', async () => {
    let looks = 0
    let leaveCalls = 0
    const hours = { join: () => () => void leaveCalls++, interval: 3_600_000 }
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
    expect([looks, leaveCalls]).toEqual([1, 1])
  })
})
