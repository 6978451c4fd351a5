import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openReused } from '../testing/databases.js'
import { peopleOf } from '../testing/people.js'
import { testSettings } from '../testing/service.js'
import { buildApp } from './app.js'
import type { ServiceContext } from './context.js'
import type { Handlers } from './http/bind.js'
import { createMetrics } from './http/metrics.js'

let address: string
/** Ends the requests that have reached their handler. */
let started: (() => void)[]
let close: () => Promise<void>
beforeEach(async () => {
  started = []
  const database = await openReused()
  const people = peopleOf(database)
  const metrics = createMetrics()
  const log = pino({ level: 'silent' })
  const app = await buildApp({
    context: {
      ...{ settings: testSettings({ maxSockets: 1 }), database, gauges: metrics, log },
      pool: { close: async () => undefined },
    } as unknown as ServiceContext,
    ...{ metrics, people },
    handlers: {
      listBackbones: () =>
        new Promise((done) => {
          started.push(() => done({ backbones: [] } as never))
        }),
      getSession: () => ({}) as never,
    } as Partial<Handlers> as Handlers,
    tasks: { begin: async () => Promise.reject(new Error('there are no tasks')) },
    sockets: [(app) => app.get('/ws', { websocket: true, config: { access: 'read' } }, () => undefined)],
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  address = `127.0.0.1:${(app.server.address() as AddressInfo).port}`
  close = async () => {
    for (const end of started) end()
    app.server.closeAllConnections()
    await app.close()
    people.close()
    metrics.close()
    await database.destroy()
  }
})
afterEach(() => close())

test('the application limits the requests of one caller in flight', async () => {
  const sent = Array.from({ length: 9 }, () => fetch(`http://${address}/api/backbones`))
  await expect.poll(() => started.length).toBe(8)
  // This route needs no slot; the ninth request still waits.
  await fetch(`http://${address}/api/session`)
  expect(started).toHaveLength(8)
  started[0]?.()
  await expect.poll(() => started.length).toBe(9)
  for (const end of started) end()
  for (const response of await Promise.all(sent)) expect(response.status).toBe(200)
})

test('the application limits the sockets of one caller to the number in its settings', async () => {
  const first = new WebSocket(`ws://${address}/ws`)
  await once(first, 'open')
  const second = new WebSocket(`ws://${address}/ws`)
  const [, response] = await once(second, 'unexpected-response')
  expect(response.statusCode).toBe(429)
  first.terminate()
})
