import { MedloomClient, type Transport } from '@medloom/client/node'
import { expect, it } from 'vitest'
import { checkService } from './machine-checks.js'

const answering = (status: number, body: object): Transport => {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return async () => ({ status, bytes })
}
const ready = (ok: boolean) => ({
  status: ok ? 'ready' : 'not_ready',
  checks: { database: { ok, message: 'the disk is full' } },
})
const refused = { error: 'a token is required', code: 'UNAUTHORIZED', details: '' }
const silent: Transport = async () => {
  throw new TypeError('fetch failed')
}

it.each<[what: string, transport: Transport, status: string, text: RegExp]>([
  ['a service that is ready', answering(200, ready(true)), 'ok', /^ready at/],
  ['a service that is not', answering(200, ready(false)), 'fail', /not ready: database: the disk is full$/],
  ['a service that requires a token', answering(401, refused), 'warn', /requires a token$/],
  ['another program at its address', answering(404, { page: 'not found' }), 'fail', /\[INVALID_RESPONSE\]$/],
  ['another machine that does not answer', silent, 'warn', /^no answer from/],
])('doctor looks at %s', async (_, transport, status, text) => {
  const client = new MedloomClient({ baseUrl: 'http://medloom.example.org', transport })
  expect(await checkService(client)).toMatchObject({ status, message: expect.stringMatching(text) })
})
