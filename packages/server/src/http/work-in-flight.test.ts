import { once } from 'node:events'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { registerErrors } from './errors.js'
import { registerWebSockets } from './websockets.js'
import { registerWorkInFlight } from './work-in-flight.js'

/** Requests of one caller that are processed in parallel. */
const QUICK = 8

let app: FastifyInstance
let url: string
/** Started work by its caller, with a function to end it. */
let begun: { readonly caller: string; readonly end: () => void }[]
/** Number of requests whose caller has disconnected. */
let disconnected: number
/** Number of requests that have arrived. */
let arrived: number
beforeEach(async () => {
  begun = []
  disconnected = 0
  arrived = 0
  app = Fastify()
  registerErrors(app)
  await registerWebSockets(app)
  app.decorateRequest('actor', null)
  app.decorateRequest('callerAddress', '')
  app.decorateRequest('attemptOf', null)
  app.addHook('onRequest', async (request, reply) => {
    arrived++
    request.callerAddress = String(request.headers['x-caller'])
    request.attemptOf = (request.headers['x-checked-attempt-of'] as string | undefined) ?? null
    // Simulates the time of a token check, during which a caller may disconnect.
    if (request.headers['x-leaves'] && !reply.raw.destroyed) await once(reply.raw, 'close')
  })
  app.addHook('onRequestAbort', (_request, done) => {
    disconnected++
    done()
  })
  registerWorkInFlight(app, { maxSockets: 2 })
  const work = (request: FastifyRequest) => {
    request.work = new Promise((answer) => {
      begun.push({ caller: request.callerAddress, end: () => answer('done') })
    })
    return request.work
  }
  app.get('/work', { config: { access: 'read' } }, work)
  app.get('/attempts/:job_id', { config: { access: 'attempt' } }, work)
  app.get('/health', { config: { access: 'public' } }, async () => 'well')
  app.get('/socket', { websocket: true, config: { access: 'read' } }, () => undefined)
  url = await app.listen({ port: 0 })
})
afterEach(() => {
  for (const { end } of begun) end()
  app.server.closeAllConnections()
  return app.close()
})

const send = (caller: string, headers: Record<string, string> = {}, path = '/work') => {
  const abort = new AbortController()
  const answer = fetch(url + path, { headers: { 'x-caller': caller, ...headers }, signal: abort.signal })
  // Requests that nobody waits for end with the test.
  answer.catch(() => undefined)
  return { answer, abort }
}
const begunBy = (name: string) => begun.filter(({ caller }) => caller === name).length
const connect = (caller: string) => new WebSocket(`${url}/socket`, { headers: { 'x-caller': caller } })
const opened = (socket: WebSocket) =>
  new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0))
  })

test('a caller with many requests blocks neither other callers nor health checks', async () => {
  const many = Array.from({ length: QUICK + 3 }, () => send('a'))
  await expect.poll(() => begunBy('a')).toBe(QUICK)
  const other = send('b')
  await expect.poll(() => begunBy('b')).toBe(1)
  expect((await fetch(`${url}/health`, { headers: { 'x-caller': 'a' } })).status).toBe(200)
  expect(begunBy('a')).toBe(QUICK)
  for (const { end } of begun) end()
  expect((await other.answer).status).toBe(200)
  await expect.poll(() => begunBy('a')).toBe(QUICK + 3)
  for (const { end } of begun) end()
  for (const { answer } of many) expect((await answer).status).toBe(200)
})

test('work whose caller has disconnected counts until it ends', async () => {
  const first = Array.from({ length: QUICK }, () => send('a'))
  await expect.poll(() => begunBy('a')).toBe(QUICK)
  for (const { abort } of first) abort.abort()
  await expect.poll(() => disconnected).toBe(QUICK)
  const next = send('a')
  expect((await fetch(`${url}/health`, { headers: { 'x-caller': 'a' } })).status).toBe(200)
  expect(begunBy('a')).toBe(QUICK)
  begun[0]?.end()
  await expect.poll(() => begunBy('a')).toBe(QUICK + 1)
  begun.at(-1)?.end()
  expect((await next.answer).status).toBe(200)
})

test('a caller who disconnects before its turn uses no turn', async () => {
  const early = Array.from({ length: QUICK }, () => send('a', { 'x-leaves': 'yes' }))
  await expect.poll(() => arrived).toBe(QUICK)
  for (const { abort } of early) abort.abort()
  await expect.poll(() => disconnected).toBe(QUICK)
  const next = send('a')
  await expect.poll(() => begunBy('a')).toBe(1)
  begun[0]?.end()
  expect((await next.answer).status).toBe(200)
})

test('attempts that nobody has checked count for their address', async () => {
  const sent = Array.from({ length: 64 }, (_, job) => send('a', {}, `/attempts/${job}`))
  await expect.poll(() => arrived).toBe(64)
  const other = send('b', {}, '/attempts/64')
  await expect.poll(() => begunBy('b')).toBe(1)
  expect(begunBy('a')).toBe(QUICK)
  for (const { abort } of sent) abort.abort()
  await expect.poll(() => disconnected).toBe(64)
  for (const { end } of begun) end()
  expect((await other.answer).status).toBe(200)
})

test('checked attempts of one address count for their job', async () => {
  const ofJob = (job: number) => send('a', { 'x-checked-attempt-of': `${job}` }, `/attempts/${job}`)
  for (let count = 0; count < QUICK + 1; count++) ofJob(1)
  await expect.poll(() => begunBy('a')).toBe(QUICK)
  ofJob(2)
  await expect.poll(() => begunBy('a')).toBe(QUICK + 1)
})

test('the number of open sockets is limited per caller', async () => {
  const [first, second] = [connect('a'), connect('a')]
  expect([await opened(first), await opened(second)]).toEqual([101, 101])
  expect(await opened(connect('a'))).toBe(429)
  expect(await opened(connect('b'))).toBe(101)
  first.close()
  await expect.poll(() => opened(connect('a'))).toBe(101)
})
