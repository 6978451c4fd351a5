import { PassThrough } from 'node:stream'
import { MedloomClient, type Transport } from '@medloom/client/node'
import type { JobMessage } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { EXIT } from '../exit-codes.js'
import { withTerminal } from '../terminal/terminal.js'
import { followAsCommand } from './follow-job.js'

/** A client whose service returns the status of a job and its remaining messages. */
class Client extends MedloomClient {
  constructor(
    status: string,
    readonly events: readonly object[],
  ) {
    const body = JSON.stringify({ status, total_epochs: 3 })
    const transport: Transport = async () => ({ status: 200, bytes: new TextEncoder().encode(body) })
    super({ baseUrl: 'http://x', transport })
  }

  override async *watch(): AsyncGenerator<JobMessage, void, undefined> {
    yield* this.events as readonly JobMessage[]
  }
}

const silent = () => {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return { ...streams, env: {}, cwd: '/', onInterrupt: () => () => {} }
}
const completed = (status: string) => ({ type: 'completed', status, duration_seconds: 1, model_id: null })

it.each([
  ['completed', EXIT.ok],
  ['stopped', EXIT.stopped],
  ['failed', EXIT.failed],
])('a job that is %s, now or later, results in the exit status %i', async (status, exit) => {
  const last = status === 'failed' ? { type: 'error', error: '', code: 'LOSS_NOT_FINITE' } : completed(status)
  for (const response of [[last], []])
    expect(await withTerminal(silent(), () => followAsCommand(new Client(status, response), 'j', {}))).toBe(
      exit,
    )
})
