import { type AddressInfo, connect } from 'node:net'
import { SOCKETS } from '@medloom/contracts'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openReused } from '../../../testing/databases.js'
import { peopleOf } from '../../../testing/people.js'
import { testSettings } from '../../../testing/service.js'
import { buildApp } from '../../app.js'
import type { ServiceContext } from '../../context.js'
import type { Handlers } from '../../http/bind.js'
import { createMetrics } from '../../http/metrics.js'
import { Forwarder } from './forwarder.js'
import { forwarding } from './forwarding.js'

const TOKEN = 'the-token-of-the-service'
const JOB = '6f1c1f4e-3b0a-4c58-9a51-0d2f5f0a7c11'

/** The application of an API process that finds no controller. */
let address: string
/** Number of times that a controller was looked for. */
let lookups: number
let close: () => Promise<void>
beforeAll(async () => {
  const database = await openReused()
  const people = peopleOf(database, TOKEN)
  const metrics = createMetrics()
  const log = pino({ level: 'silent' })
  const directory = {
    find: async () => {
      lookups += 1
      return null
    },
    changed: async () => undefined,
    onChange: () => () => undefined,
  }
  const forwarder = new Forwarder(directory)
  const app = await buildApp({
    context: {
      ...{ settings: testSettings(), database, gauges: metrics, log },
      pool: { close: async () => undefined },
    } as unknown as ServiceContext,
    ...{ metrics, people },
    ...forwarding(forwarder, { directory }),
    handlers: {} as Handlers,
    tasks: { begin: async () => Promise.reject(new Error('there are no tasks')) },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  address = `http://127.0.0.1:${port}`
  close = async () => {
    await app.close()
    forwarder.close()
    people.close()
    metrics.close()
    await database.destroy()
  }
})
beforeEach(() => {
  lookups = 0
})
afterAll(() => close())

/** Sends the head of a request whose body never arrives. @returns status and code of the response */
async function sendHead(line: string, ...headers: string[]): Promise<[status: number, code: string]> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write([line, `host: ${hostname}`, 'connection: close', ...headers].join('\r\n'))
  socket.write('\r\n\r\n')
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => undefined)
  await expect.poll(() => text).toContain('request_id')
  socket.destroy()
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), String(/,"code":"([A-Z_]+)"/.exec(text)?.[1])]
}

test.each([
  ['no token', `/api/exchange/${JOB}/1/heartbeat`, []],
  ['no bearer token', `/api/exchange/${JOB}/1/heartbeat`, ['authorization: Basic abc']],
  ['no job', '/api/exchange/x/1/heartbeat', ['authorization: Bearer abc']],
  ['no attempt', `/api/exchange/${JOB}/x/heartbeat`, ['authorization: Bearer abc']],
])('a request of an attempt with %s is refused before the body arrives', async (_, path, headers) => {
  const body = ['content-type: application/json', 'content-length: 1000']
  expect(await sendHead(`POST ${path} HTTP/1.1`, ...headers, ...body)).toEqual([401, 'UNAUTHORIZED'])
  expect(lookups).toBe(0)
})

test.each([
  ['an absolute target', 'http://127.0.0.1:1/api/nodes', []],
  ['an absolute target with a user', 'http://user:word@127.0.0.1:1/api/nodes', []],
  ['an absolute target of an attempt', `http://127.0.0.1:1/api/exchange/${JOB}/1`, []],
  [
    'an absolute target of a socket',
    `http://127.0.0.1:1${SOCKETS.service.path}`,
    [
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ],
  ],
])('%s is refused at the door of an API process', async (_, target, headers) => {
  const authorized = `authorization: Bearer ${TOKEN}`
  expect(await sendHead(`GET ${target} HTTP/1.1`, authorized, ...headers)).toEqual([400, 'INVALID_REQUEST'])
  expect(lookups).toBe(0)
})

test('a request of an attempt whose token cannot be checked here is sent to the controller', async () => {
  const response = await fetch(`${address}/api/exchange/${JOB}/1`, {
    headers: { authorization: 'Bearer abc' },
  })
  expect(response.status).toBe(503)
  expect(lookups).toBeGreaterThan(0)
})
