import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { DatabaseError } from './database/database-error.js'
import { StartError } from './errors.js'
import { runService } from './process.js'
import type { RestartingService } from './restarting-service.js'

/** A process that records what the service does with it. */
class RecordedProcess extends EventEmitter {
  exitCode: number | undefined
  readonly exits: number[] = []
  text = ''
  readonly stdout = { write: (text: string) => (this.text += text) }
  readonly stderr = { write: (text: string) => (this.text += text) }
  exit(code: number): void {
    this.exits.push(code)
  }
}

const closed = vi.fn(async () => undefined)
const log = { fatal: vi.fn(), error: vi.fn() }
const started = {
  service: { address: 'http://127.0.0.1:1', app: { log } },
  isOfLost: () => false,
  close: closed,
} as unknown as RestartingService

/** Runs the service with a start that does this before it ends. */
async function run(duringStart: (host: RecordedProcess) => unknown): Promise<RecordedProcess> {
  const host = new RecordedProcess()
  await runService([], {}, host, async () => {
    await duringStart(host)
    return started
  })
  return host
}

test.each(['unhandledRejection', 'uncaughtException'])(
  'an %s during the start ends the process, which does not report that it is ready',
  async (event) => {
    const host = await run((starting) => expect(starting.emit(event, new TypeError('a defect'))).toBe(true))
    expect(host).toMatchObject({ exits: [1], text: expect.stringContaining('TypeError: a defect') })
    expect(host.text).not.toContain('ready')
  },
)

test('a database that becomes unavailable during the start does not end the process: the start waits for it', async () => {
  const lost = new DatabaseError('the connection ended', 'lost', undefined)
  const host = await run((starting) => starting.emit('unhandledRejection', lost))
  expect(host).toMatchObject({ exits: [], text: expect.stringContaining('is ready at http://127.0.0.1:1') })
})

test('an uncaught error after the start closes the service, then ends the process', async () => {
  closed.mockClear()
  const host = await run(() => undefined)
  host.emit('uncaughtException', new TypeError('a defect'))
  await expect.poll(() => host.exits).toEqual([1])
  expect(closed).toHaveBeenCalledOnce()
})

test('a start that is refused prints the reason and the remedy', async () => {
  const host = await run(() => {
    throw new StartError('the folder is missing', 'Create it.')
  })
  expect(host).toMatchObject({
    exitCode: 1,
    text: 'Medloom cannot start: the folder is missing.\nCreate it.\n',
  })
})
