import { createHash } from 'node:crypto'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { registerErrors } from '../http/errors.js'
import { registerJsonBody } from '../http/json-body.js'
import type { Actor } from './actor.js'
import { registerGuard } from './guard.js'
import { BODY_TRAILER, type InternalRequest, InternalRequests, signRequest } from './internal-requests.js'

const KEY = 'key of the controller'
const ACTOR = { user: 'ann', role: 'run' } as Actor
const CALLER = { actor: ACTOR, address: '203.0.113.7' }
const SENT = { method: 'POST', target: '/api/training/start?a=1', caller: CALLER, body: Buffer.from('{}') }

const received = ({ method, target }: InternalRequest, headers: Record<string, string>) => ({
  ...{ method, url: target, trailers: {} },
  headers: { 'content-length': '2', ...headers },
})
const signed = (request: InternalRequest = SENT, key = KEY) =>
  received(request, signRequest(key, request).headers)

afterEach(() => void vi.useRealTimers())

test('a signed request names its caller, and its headers do not contain the key', () => {
  const request = signed()
  expect(new InternalRequests(KEY).callerOf(request)).toEqual(CALLER)
  expect(JSON.stringify(request.headers)).not.toContain(KEY)
})

test('a signature is valid for one method, target and caller, and for one key', () => {
  const forged = { actor: { ...ACTOR, role: 'admin' }, address: '127.0.0.1' }
  const text = Buffer.from(JSON.stringify(forged)).toString('base64url')
  const request = signed()
  for (const other of [
    { ...request, method: 'DELETE' },
    { ...request, url: '/api/tokens' },
    { ...request, headers: { ...request.headers, 'x-medloom-caller': text } },
    signed(SENT, 'another key'),
    received(SENT, {}),
  ])
    expect(new InternalRequests(KEY).callerOf(other)).toBeNull()
})

test('a signature is valid once, and for a minute', () => {
  vi.useFakeTimers()
  const requests = new InternalRequests(KEY)
  const [request, late] = [signed(), signed()]
  expect(requests.callerOf(request)).toEqual(CALLER)
  expect(requests.callerOf(request)).toBeNull()
  vi.advanceTimersByTime(61_000)
  expect(requests.callerOf(late)).toBeNull()
})

const readBody = async (
  request: InternalRequest,
  headers: Record<string, string>,
  arrived: string,
  trailers = {},
) => {
  const requests = new InternalRequests(KEY)
  const message = { ...received(request, headers), trailers }
  expect(requests.callerOf(message)).not.toBeNull()
  return text(requests.checkBody(message, Readable.from([Buffer.from(arrived)])))
}

test('a body other than the signed one, or none, ends with an error', async () => {
  const { headers } = signRequest(KEY, SENT)
  expect(await readBody(SENT, headers, '{}')).toBe('{}')
  const refused = { code: 'UNAUTHORIZED' }
  await expect(readBody(SENT, headers, '[]')).rejects.toMatchObject(refused)
  await expect(readBody(SENT, { ...headers, 'content-length': '0' }, '')).rejects.toMatchObject(refused)
})

test('a streamed body is verified by its trailer', async () => {
  const request = { ...SENT, body: Readable.from([]) }
  const { headers, trailerOf } = signRequest(KEY, request)
  const proof = trailerOf?.(createHash('sha256').update('bytes'))
  expect(await readBody(request, headers, 'bytes', { [BODY_TRAILER]: proof })).toBe('bytes')
  const refused = { code: 'UNAUTHORIZED' }
  await expect(readBody(request, headers, 'other', { [BODY_TRAILER]: proof })).rejects.toMatchObject(refused)
  await expect(readBody(request, headers, 'bytes')).rejects.toMatchObject(refused)
})

test('the guard of a controller checks the role of its route, whoever forwarded the request', async () => {
  const app = Fastify()
  registerErrors(app)
  registerJsonBody(app)
  registerGuard(app, {
    host: '127.0.0.1',
    authentication: { actorOf: async () => null } as never,
    internal: new InternalRequests(KEY),
  })
  app.post('/run', { config: { access: 'run' } }, async ({ actor, body }) => ({ actor, body }))
  app.post('/admin', { config: { access: 'admin' } }, async () => 'secret')
  const send = (target: string, caller = CALLER, payload = '{}') =>
    app.inject({
      ...{ method: 'POST', url: target, payload },
      headers: {
        'content-type': 'application/json',
        ...signRequest(KEY, { ...SENT, target, caller }).headers,
      },
    })
  expect((await send('/run')).json()).toEqual({ actor: ACTOR, body: {} })
  expect((await send('/run', CALLER, '[]')).statusCode).toBe(401)
  expect((await send('/admin')).statusCode).toBe(403)
  expect((await send('/run', { ...CALLER, actor: null as never })).statusCode).toBe(401)
  await app.close()
})

test('an aborted body ends the stream with an error', async () => {
  const requests = new InternalRequests(KEY)
  const app = Fastify()
  let ended: (error: unknown) => void = () => undefined
  const end = new Promise<unknown>((resolve) => (ended = resolve))
  app.addContentTypeParser('application/octet-stream', async (_: unknown, body: Readable) => body)
  app.addHook('onRequest', async ({ raw }) => void requests.callerOf(raw))
  app.addHook('preParsing', async ({ raw }, _, payload) => requests.checkBody(raw, payload as Readable))
  app.put('/bytes', async ({ body }) => text(body as Readable).then(ended, ended))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { headers } = signRequest(KEY, { method: 'PUT', target: '/bytes', body: Readable.from([]) })
  const lines = Object.entries({ ...headers, host: 'a', 'content-type': 'application/octet-stream' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    `PUT /bytes HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}transfer-encoding: chunked\r\n\r\n5\r\nbytes\r\n`,
    () => setImmediate(() => socket.destroy()),
  )
  expect(await end).toBeInstanceOf(Error)
  await app.close()
})
