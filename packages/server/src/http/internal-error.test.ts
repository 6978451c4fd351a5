/** @module-tag service */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ERRORS } from '@medloom/contracts'
import pino from 'pino'
import { expect, test } from 'vitest'
import { testSettings } from '../../testing/service.js'
import { buildApp } from '../app.js'
import type { ServiceContext } from '../context.js'
import { openDatabase } from '../database/database.js'
import { createMetrics } from '../system/metrics.js'
import type { Handlers } from './bind.js'

test('a defect is a 500 whose text stays in the log, under the id that the caller is told', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const metrics = createMetrics()
  const database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'medloom-error-')), 'medloom.db'))
  const fail = () => {
    throw new TypeError('cannot open /home/secret/patients.csv')
  }
  const app = await buildApp({
    context: {
      settings: testSettings(),
      database,
      gauges: metrics,
      log,
      pool: { close: async () => {} },
    } as unknown as ServiceContext,
    metrics,
    token: null,
    handlers: {
      getHealth: fail,
      listBackbones: async () => Promise.reject('not even an Error'),
    } as unknown as Handlers,
    sockets: [],
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

  // The log names the route, never what a caller typed.
  expect(lines.join('')).toContain('"route":"/api/system/health"')
  expect(lines.join('')).not.toContain('token=word')
  await app.close()
  metrics.close()
  await database.destroy()
})
