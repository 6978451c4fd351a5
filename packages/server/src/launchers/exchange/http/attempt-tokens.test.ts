import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunDirectory } from '../../../storage/run-directory.js'
import { AttemptTokens } from './attempt-tokens.js'
import { ReceivedStreams } from './received-streams.js'

const ATTEMPT = { job_id: '00000000-0000-4000-8000-000000000000', attempt: 1 }
let base: string
let run: RunDirectory
let tokens: AttemptTokens
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'medloom-attempt-'))
  run = new RunDirectory(base)
  mkdirSync(dirname(run.events(1)), { recursive: true })
  tokens = new AttemptTokens(() => run)
})
afterEach(() => rmSync(base, { recursive: true }))

/** A piece of the events of which the first part is written. */
async function sendBeginning() {
  const token = await tokens.issue(ATTEMPT.job_id, ATTEMPT.attempt)
  const content = new PassThrough()
  const streams = new ReceivedStreams()
  const taken = tokens.take(ATTEMPT, content, {
    admit: () => tokens.admit(ATTEMPT, `Bearer ${token}`),
    work: () => streams.append(run, 1, 'events', { offset: 0, content }),
  })
  taken.catch(() => undefined)
  const received = () => (existsSync(run.events(1)) ? readFileSync(run.events(1), 'utf8') : '')
  content.write('one\n')
  await expect.poll(received).toBe('one\n')
  return { content, received, taken }
}

describe('a piece that arrives', () => {
  test('is acknowledged while its attempt runs', async () => {
    const { content, received, taken } = await sendBeginning()
    content.end('two\n')
    expect(await taken).toBe(8)
    expect(received()).toBe('one\ntwo\n')
  })

  test('is aborted when its attempt ends', async () => {
    const { content, received, taken } = await sendBeginning()
    await tokens.end(ATTEMPT.job_id, ATTEMPT.attempt)
    expect(content.destroyed).toBe(true)
    await expect(taken).rejects.toMatchObject({ code: 'ATTEMPT_ENDED' })
    expect(received()).toBe('one\n')
  })

  test('is not acknowledged when another process has ended its attempt', async () => {
    const { content, taken } = await sendBeginning()
    await new AttemptTokens(() => run).end(ATTEMPT.job_id, ATTEMPT.attempt)
    content.end('two\n')
    await expect(taken).rejects.toMatchObject({ code: 'ATTEMPT_ENDED' })
  })
})
