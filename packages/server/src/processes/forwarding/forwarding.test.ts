/** @module-tag service */
import {
  createServer,
  type IncomingMessage,
  request as open,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ErrorBody, SOCKETS } from '@medloom/contracts'
import Fastify from 'fastify'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { registerErrors } from '../../http/errors.js'
import { registerJsonBody } from '../../http/json-body.js'
import { registerRequestTarget } from '../../http/request-target.js'
import { registerWebSockets } from '../../http/websockets.js'
import { InternalRequests } from '../../security/internal-requests.js'
import { ControllerDirectory } from '../controller-directory.js'
import type { Controller } from '../controllers.repository.js'
import { forwardRoutes } from './forward-routes.js'
import { Forwarder } from './forwarder.js'
import { relaySockets } from './relay-socket.js'

const log = pino({ level: 'silent' })
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

type Handle = (request: IncomingMessage, response: ServerResponse) => void

const isInternal = (request: IncomingMessage, key = 'key') =>
  new InternalRequests(key).callerOf(request) !== null

/** A controller whose behavior the test determines; it reports that it works as long as `isAlive` returns true. */
async function controller(
  handle: Handle,
  {
    isAlive = () => true,
    onUpgrade = () => undefined,
  }: { readonly isAlive?: () => boolean; readonly onUpgrade?: (request: IncomingMessage) => void } = {},
) {
  const server: Server = createServer((request, response) => {
    if (request.url === '/api/system/health' && isAlive()) response.end('{}')
    else handle(request, response)
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    onUpgrade(request)
    if (request.url?.includes('unknown')) {
      const body = JSON.stringify({ error: 'no such workflow', code: 'WORKFLOW_NOT_FOUND' })
      socket.end(
        `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.send(`hello ${request.url} ${isInternal(request)}`)
      if (request.url?.includes('ends')) client.close(1000)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const die = async () => {
    for (const client of sockets.clients) client.terminate()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  undo.push(die)
  const { port: bound } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${bound}`, port: bound, die }
}

/** A process that executes nothing itself. */
async function process({ waitMilliseconds = 5000, idleMilliseconds = 60_000, refusesTargets = true } = {}) {
  let current: Controller | null = null
  const directory = new ControllerDirectory({ repository: { current: async () => current }, log })
  const forwarder = new Forwarder(directory, waitMilliseconds, idleMilliseconds)
  const app = Fastify({ forceCloseConnections: true })
  registerErrors(app)
  registerJsonBody(app)
  await registerWebSockets(app)
  if (refusesTargets) registerRequestTarget(app)
  forwardRoutes(app, forwarder)
  relaySockets(app, [SOCKETS.workflow], { directory, waitMilliseconds })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  undo.push(async () => {
    directory.close()
    forwarder.close()
    await app.close()
  })
  let fence = 0
  return {
    url,
    directory,
    forwarder,
    /** Sets the controller that the database names from now on. */
    async named(address: string | null, internalKey = 'key') {
      fence += 1
      current = address === null ? null : { fence, address, internalKey, folder: 'a', pause: null }
      await directory.look()
    },
  }
}

const post = (url: string, headers: Record<string, string> = {}, body = '{"config":{}}') =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
const code = async (response: Response) => ((await response.json()) as ErrorBody).code

test('a request arrives unchanged, signed for the controller and without the credentials of its caller', async () => {
  const seen: { request: IncomingMessage; body: string }[] = []
  const { address } = await controller(async (request, response) => {
    seen.push({ request, body: await text(request) })
    response.writeHead(200, { 'content-type': 'application/json', 'x-own': 'yes' }).end('{"answer":1}')
  })
  const api = await process()
  await api.named(address)
  const headers = {
    authorization: 'Bearer secret',
    cookie: 'medloom_session=1',
    'x-medloom-signature': 'forged',
  }
  const response = await post(`${api.url}/api/training/check?a=1`, headers)
  expect([response.status, response.headers.get('x-own'), await response.json()]).toEqual([
    200,
    'yes',
    { answer: 1 },
  ])
  const [{ request, body } = expect.fail()] = seen
  expect([request.method, request.url, body]).toEqual(['POST', '/api/training/check?a=1', '{"config":{}}'])
  expect(request.headers).toMatchObject({ 'content-type': 'application/json' })
  expect(isInternal(request)).toBe(true)
  expect(request.headers).not.toHaveProperty('authorization')
  expect(request.headers).not.toHaveProperty('cookie')
})

test('the token of an attempt arrives, and the answer of the controller is the response', async () => {
  const { address } = await controller((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer attempt'
    response
      .writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      .end(isKnown ? '{}' : '{"code":"UNAUTHORIZED"}')
  })
  const api = await process()
  await api.named(address)
  const send = (authorization: string) => fetch(`${api.url}/api/exchange/a/1`, { headers: { authorization } })
  expect((await send('Bearer attempt')).status).toBe(200)
  const refused = await send('Bearer other')
  expect([refused.status, await code(refused)]).toEqual([401, 'UNAUTHORIZED'])
})

test.each([
  ['an absolute target', (host: string) => `http://${host}/api/exchange/x/1`],
  ['an absolute target with a user', (host: string) => `http://user@${host}/api/exchange/x/1`],
  ['two slashes and a host', (host: string) => `//${host}/api/exchange/x/1`],
  ['an absolute target of a socket', (host: string) => `ws://${host}/ws/workflow/1`],
])('nothing is sent to the host of %s', async (_case, target) => {
  const arrived: string[] = []
  const other = await controller((request, response) => {
    arrived.push(`other ${request.url}`)
    response.end('{}')
  })
  const own = await controller((request, response) => {
    arrived.push(`own ${request.url}`)
    response.end('{}')
  })
  const api = await process()
  await api.named(own.address)
  const { hostname, port } = new URL(api.url)
  const path = target(new URL(other.address).host)
  const headers = {
    authorization: 'Bearer attempt',
    ...(path.startsWith('ws') ? UPGRADE : {}),
  }
  const sending = open({ hostname, port, path, headers })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve).once('error', reject).end()
  })
  sending.destroy()
  expect([response.statusCode, arrived]).toEqual([path.startsWith('//') ? 404 : 400, []])
})

const UPGRADE = {
  ...{ connection: 'upgrade', upgrade: 'websocket' },
  ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
}

/** Two programs that note the requests that they receive: a controller, and another host. */
async function controllerAndOther() {
  const arrived: string[] = []
  const note = (name: string) =>
    controller(
      (request, response) => {
        arrived.push(`${name} ${request.url}`)
        response.end('{}')
      },
      { onUpgrade: (request) => arrived.push(`${name} ${request.url}`) },
    )
  return { arrived, own: await note('own'), other: await note('other') }
}

test.each([
  ['an absolute target', (host: string) => `http://${host}/api/nodes`],
  ['an absolute target with a user', (host: string) => `http://user@${host}/api/nodes`],
  ['two slashes and a host', (host: string) => `//${host}/api/nodes`],
])('the forwarder itself sends %s to its controller', async (_case, target) => {
  const { arrived, own, other } = await controllerAndOther()
  const api = await process()
  await api.named(own.address)
  const path = target(new URL(other.address).host)
  const response = await api.forwarder.send(
    {
      ...{ method: 'GET', path, headers: {}, caller: { actor: null, address: '' }, body: null },
      ...{ judgedThere: false, isRead: true, repeatable: true },
    },
    new AbortController().signal,
  )
  response.resume()
  expect(arrived).toEqual([`own ${path}`])
})

test('a socket with an absolute target is opened at the controller, even if nothing refused the target', async () => {
  const { arrived, own, other } = await controllerAndOther()
  const api = await process({ refusesTargets: false })
  await api.named(own.address)
  const { hostname, port } = new URL(api.url)
  const path = `http://${new URL(other.address).host}/ws/workflow/1`
  const sending = open({ hostname, port, path, headers: UPGRADE })
  const upgraded = new Promise<Socket>((resolve, reject) => {
    sending.once('upgrade', (_, socket) => resolve(socket)).once('error', reject)
  })
  sending.end()
  ;(await upgraded).destroy()
  expect(arrived).toEqual([`own /${path}`])
})

test('bytes are streamed in both directions without buffering', async () => {
  const { address } = await controller((request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    request.pipe(response)
  })
  const api = await process()
  await api.named(address)
  const bytes = new Uint8Array(20 * 1024 * 1024).fill(7)
  const response = await fetch(`${api.url}/api/uploads/1?offset=0`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), bytes)).toBe(0)
})

test('a caller who disconnects ends the work of the controller for that request', async () => {
  let resolveClosed: () => void
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })
  let began: () => void
  const arrived = new Promise<void>((resolve) => {
    began = resolve
  })
  const { address } = await controller((request, response) => {
    response.once('close', () => resolveClosed())
    request.resume().once('end', () => began())
  })
  const api = await process()
  await api.named(address)
  const leaving = new AbortController()
  const pending = fetch(`${api.url}/api/training/check`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).catch(() => null)
  await arrived
  leaving.abort()
  await Promise.all([closed, pending])
})

test('a request waits for the first controller, and for the next one if the last cannot be reached', async () => {
  const answer: Handle = (request, response) =>
    void request.resume().once('end', () => response.end('{"ok":true}'))
  const api = await process()
  const early = post(`${api.url}/api/training/check`)
  const first = await controller(answer)
  await api.named(first.address)
  expect((await early).status).toBe(200)
  await first.die()
  const waiting = post(`${api.url}/api/training/1/stop`)
  const second = await controller(answer)
  await api.named(second.address)
  expect(await (await waiting).json()).toEqual({ ok: true })
})

test('without a controller for too long a request is refused as not executed', async () => {
  const api = await process({ waitMilliseconds: 300 })
  const response = await post(`${api.url}/api/training/check`)
  expect([response.status, await code(response)]).toEqual([503, 'CONTROLLER_UNAVAILABLE'])
  const { address, die } = await controller(() => undefined)
  await die()
  await api.named(address)
  expect(await code(await post(`${api.url}/api/training/check`))).toBe('CONTROLLER_UNAVAILABLE')
})

/** It breaks every connection on which a request has arrived. */
const breaks: Handle = (request) => void request.resume().once('end', () => request.socket.destroy())

test('a request that may have been executed is repeated only if it reads, or has an Idempotency-Key that allows it', async () => {
  const requests: string[] = []
  const { address } = await controller((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (requests.length % 2 === 1) breaks(request, response)
    else request.resume().once('end', () => response.end('{"again":true}'))
  })
  const api = await process()
  await api.named(address)
  const stopped = await post(`${api.url}/api/training/1/stop`, { 'idempotency-key': 'a' })
  expect([stopped.status, await code(stopped), requests.splice(0).length]).toEqual([
    503,
    'CONTROLLER_LOST',
    1,
  ])
  expect(await (await fetch(`${api.url}/api/nodes`)).json()).toEqual({ again: true })
  expect(requests.splice(0)).toEqual(['GET /api/nodes', 'GET /api/nodes'])
  const started = await post(`${api.url}/api/studies`, { 'idempotency-key': 'b' })
  expect(await started.json()).toEqual({ again: true })
  expect(requests.splice(0)).toEqual(['POST /api/studies', 'POST /api/studies'])
})

test('a change that a dead controller may have made is not reported as refused, whatever follows', async () => {
  const api = await process({ waitMilliseconds: 300 })
  /** The only controller dies because of the request; the database still names it, or no longer names one. */
  const afterDeath = async (send: () => Promise<Response>, isNamed: boolean) => {
    const { address, die } = await controller((request) => {
      request.resume().once('end', async () => {
        if (!isNamed) await api.named(null)
        await die()
      })
    })
    await api.named(address)
    return code(await send())
  }
  const start = () => post(`${api.url}/api/studies`, { 'idempotency-key': 'a' })
  const read = () => fetch(`${api.url}/api/nodes`)
  for (const isNamed of [true, false]) {
    expect(await afterDeath(start, isNamed)).toBe('CONTROLLER_LOST')
    expect(await afterDeath(read, isNamed)).toBe('CONTROLLER_UNAVAILABLE')
  }
})

test('a request that ends several controllers is not sent to every next one', async () => {
  let count = 0
  const { address } = await controller((request, response) => {
    count += 1
    breaks(request, response)
  })
  const api = await process()
  await api.named(address)
  expect(await code(await fetch(`${api.url}/api/nodes`))).toBe('CONTROLLER_LOST')
  expect(count).toBe(3)
})

test('a vanished host does not block a request: the next controller gets it', async () => {
  const silent = await controller(() => undefined, { isAlive: () => false })
  const api = await process()
  await api.named(silent.address)
  const pending = fetch(`${api.url}/api/nodes`)
  const waits = expect(Promise.race([pending, new Promise((late) => setTimeout(late, 200, 'silent'))]))
  await waits.resolves.toBe('silent')
  const next = await controller((_, response) => void response.end('{"next":true}'))
  await api.named(next.address)
  expect(await (await pending).json()).toEqual({ next: true })
})

test('a hung controller gets no requests if there is no other one, and callers are informed', async () => {
  const requests: string[] = []
  const { address } = await controller((request) => requests.push(`${request.url}`), { isAlive: () => false })
  const api = await process({ waitMilliseconds: 300 })
  await api.named(address)
  expect(await code(await post(`${api.url}/api/training/1/stop`))).toBe('CONTROLLER_UNAVAILABLE')
  const { status, body } = await follow(`${api.url}/ws/workflow/1`).refused
  expect([status, JSON.parse(body).code]).toEqual([503, 'CONTROLLER_UNAVAILABLE'])
  expect(new Set(requests)).toEqual(new Set(['/api/system/health']))
})

test('a controller that hangs in the middle of a request does not block the caller', async () => {
  let isAlive = true
  const hung = await controller(
    (request) =>
      void request.resume().once('end', () => {
        isAlive = false
      }),
    { isAlive: () => isAlive },
  )
  const api = await process({ waitMilliseconds: 300 })
  await api.named(hung.address)
  const { closed } = follow(`${api.url}/ws/workflow/1`)
  expect(await code(await post(`${api.url}/api/training/1/stop`))).toBe('CONTROLLER_LOST')
  expect(await closed).toBe(1012)
  isAlive = true
  expect(await code(await fetch(`${api.url}/api/nodes`))).toBe('CONTROLLER_UNAVAILABLE')
})

test.each([
  ['that hangs', false, { waitMilliseconds: 300 }],
  ['that answers other requests', true, { idleMilliseconds: 300 }],
])(
  'a response that has begun ends as incomplete if a controller %s sends no more of it',
  async (_case, answers, limits) => {
    let isAlive = true
    const { address } = await controller(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"first":')
        isAlive = answers
      },
      { isAlive: () => isAlive },
    )
    const api = await process(limits)
    await api.named(address)
    const response = await fetch(`${api.url}/api/nodes`)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  },
)

test('work that takes longer than the wait for a controller continues while the controller responds', async () => {
  let questions = 0
  let end: (() => void) | undefined
  const { address } = await controller(
    (request, response) => {
      end = () => void response.end('{"ok":true}')
      questions = 0
      request.resume()
    },
    {
      isAlive: () => {
        questions += 1
        // Four checks take place within the wait.
        if (questions === 6) end?.()
        return true
      },
    },
  )
  const api = await process({ waitMilliseconds: 1000 })
  await api.named(address)
  expect(await (await post(`${api.url}/api/models/1/evaluate`)).json()).toEqual({ ok: true })
})

test('another controller at the address of a former one gets no request before its key is known', async () => {
  const { address } = await controller(
    (request, response) => {
      if (isInternal(request, 'second')) response.end('{"second":true}')
      else response.writeHead(401).end('{}')
    },
    { isAlive: () => false },
  )
  const api = await process()
  await api.named(address, 'first')
  const pending = post(`${api.url}/api/training/1/stop`)
  await api.named(address, 'second')
  expect(await (await pending).json()).toEqual({ second: true })
})

test('the rest of a stream is sent to no other controller after its first part was sent', async () => {
  const arrived: string[] = []
  let end: () => void
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const { address } = await controller((request, response) => {
    const number = arrived.push('') - 1
    request.once('data', () => response.writeHead(number === 0 ? 401 : 200).end('{}'))
    request.on('data', (piece) => {
      arrived[number] += piece
    })
    request.once('end', () => end())
    request.socket.once('close', () => end())
  })
  const api = await process()
  await api.named(address)
  const headers = { 'content-type': 'application/octet-stream' }
  const sending = open(`${api.url}/api/uploads/1?offset=0`, { method: 'PUT', headers })
  sending.on('error', () => undefined)
  const answer = new Promise<IncomingMessage>((done) => sending.once('response', done))
  sending.write('beginning')
  await Promise.race([answer, new Promise((late) => setTimeout(late, 1000))])
  sending.end('rest')
  const { code } = JSON.parse(await text(await answer)) as ErrorBody
  await ended
  expect([code, arrived]).toEqual(['CONTROLLER_LOST', ['beginning']])
})

function follow(url: string) {
  const socket = new WebSocket(url.replace('http', 'ws'))
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  socket.on('error', () => undefined)
  const closed = new Promise<number>((done) => socket.on('close', done))
  const refused = new Promise<{ status: number | undefined; body: string }>((done) =>
    socket.on('unexpected-response', async (_, response) => {
      done({ status: response.statusCode, body: await text(response) })
    }),
  )
  undo.push(() => socket.terminate())
  return { messages, closed, refused }
}

test('a socket is relayed with its messages, its end and its refusal; the token of its address is not passed on', async () => {
  const { address } = await controller(() => undefined)
  const api = await process()
  await api.named(address)
  const ends = follow(`${api.url}/ws/workflow/ends?token=secret&since=3`)
  expect(await ends.closed).toBe(1000)
  expect(ends.messages).toEqual(['hello /ws/workflow/ends?since=3 true'])
  const { status, body } = await follow(`${api.url}/ws/workflow/unknown`).refused
  expect([status, JSON.parse(body).code]).toEqual([404, 'WORKFLOW_NOT_FOUND'])
})

test('a relayed socket ends with its controller, so that its client connects to the next one', async () => {
  const first = await controller(() => undefined)
  const api = await process()
  await api.named(first.address)
  const broken = follow(`${api.url}/ws/workflow/1`)
  await expect.poll(() => broken.messages.length).toBe(1)
  await first.die()
  expect(await broken.closed).toBe(1012)
  const again = follow(`${api.url}/ws/workflow/1`)
  const second = await controller(() => undefined)
  await api.named(second.address)
  await expect.poll(() => again.messages.length).toBe(1)
  const third = await controller(() => undefined)
  await api.named(third.address)
  expect(await again.closed).toBe(1012)
})

test('without a controller for too long a socket is refused', async () => {
  const api = await process({ waitMilliseconds: 300 })
  expect((await follow(`${api.url}/ws/workflow/1`).refused).status).toBe(503)
})
