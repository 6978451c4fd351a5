/** @module-tag service */
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ERRORS } from '@medloom/contracts'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migratedFile } from '../../testing/migrated-file.js'
import { peopleOf } from '../../testing/people.js'
import { testSettings } from '../../testing/service.js'
import { buildApp } from '../app.js'
import type { ServiceContext } from '../context.js'
import { openDatabase } from '../database/database.js'
import { AppError } from '../errors.js'
import type { Handlers } from './bind.js'
import { createMetrics } from './metrics.js'

/** The application with these handlers, and its log. */
async function appWith(handlers: Partial<Handlers>) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const metrics = createMetrics()
  const database = await openDatabase(
    await migratedFile(join(mkdtempSync(join(tmpdir(), 'medloom-error-')), 'medloom.db')),
  )
  const app = await buildApp({
    context: {
      settings: testSettings(),
      database,
      gauges: metrics,
      log,
      pool: { close: async () => {} },
    } as unknown as ServiceContext,
    metrics,
    people: peopleOf(database),
    handlers: handlers as Handlers,
    tasks: { begin: async () => Promise.reject(new Error('no tasks')) },
    sockets: [],
  })
  const close = async () => {
    await app.close()
    metrics.close()
    await database.destroy()
  }
  return { app, lines, close }
}

test('a defect is a 500 whose text stays in the log, under the id in the response', async () => {
  const { app, lines, close } = await appWith({
    getHealth: () => {
      throw new TypeError('cannot open /home/secret/patients.csv')
    },
    listBackbones: async () => Promise.reject('not even an Error'),
  })
  const response = await app.inject({
    url: '/api/system/health?token=word',
    headers: { 'x-request-id': 'id-1' },
  })
  expect(response.statusCode).toBe(500)
  expect(response.json()).toEqual({
    error: ERRORS.INTERNAL.meaning,
    code: 'INTERNAL',
    details: expect.stringContaining('request_id'),
    request_id: 'id-1',
  })
  const logged = lines.map((line) => JSON.parse(line)).find((line) => line.err)
  expect(logged).toMatchObject({ level: 50, request_id: 'id-1', err: { type: 'TypeError' } })
  expect(logged.err.stack).toContain('/home/secret/patients.csv')
  expect((await app.inject({ url: '/api/backbones' })).json().code).toBe('INTERNAL')

  // The log contains the route, never the caller's input.
  expect(lines.join('')).toContain('"route":"/api/system/health"')
  expect(lines.join('')).not.toContain('token=word')
  await close()
})

test('a client that disconnects while sending the body is not a defect: one line of level debug, and no error', async () => {
  const { app, lines, close } = await appWith({})
  const arrived = new Promise<void>((resolve) => app.addHook('preParsing', async () => resolve()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(
    'POST /api/datasets HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"path":',
  )
  await arrived
  socket.destroy()
  const logs = () => lines.map((line) => JSON.parse(line))
  const logged = () => logs().find(({ msg, level }) => msg.includes('while sending the body') || level >= 40)
  await expect.poll(logged).toBeDefined()
  expect(logged()).toMatchObject({ level: 20 })
  await close()
})

test('work that ends because its caller has disconnected is not an error either', async () => {
  const { app, lines, close } = await appWith({
    listBackbones: async ({ signal }) => {
      await once(signal, 'abort')
      throw new AppError('TRAINER_FAILED', { english: 'the task was canceled' })
    },
  })
  const arrived = new Promise<void>((resolve) => app.addHook('preHandler', async () => resolve()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const caller = new AbortController()
  const { port } = app.server.address() as AddressInfo
  const request = fetch(`http://127.0.0.1:${port}/api/backbones`, { signal: caller.signal })
  await arrived
  caller.abort()
  await expect(request).rejects.toThrow('aborted')
  await expect.poll(() => lines.join('')).toContain('the client closed the connection before the response')
  expect(lines.map((line) => JSON.parse(line).level).filter((level) => level >= 40)).toEqual([])
  await close()
})
