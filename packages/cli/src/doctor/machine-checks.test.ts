import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MedloomClient, type Transport } from '@medloom/client/node'
import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { checkDataFolder, checkService } from './machine-checks.js'

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
  ['another machine that does not answer', silent, 'warn', /^no response from/],
])('doctor looks at %s', async (_, transport, status, text) => {
  const client = new MedloomClient({ baseUrl: 'http://medloom.example.org', transport })
  expect(await checkService(client)).toMatchObject({ status, message: expect.stringMatching(text) })
})

it('doctor reports a data folder whose database was changed by a newer version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-doctor-'))
  expect(await checkDataFolder(folder)).toMatchObject({ status: 'ok' })
  const database = new Libsql(join(folder, 'medloom.db'))
  database.exec("CREATE TABLE migrations (name TEXT); INSERT INTO migrations VALUES ('0001-first-tables')")
  expect(await checkDataFolder(folder)).toMatchObject({ status: 'ok' })
  database.exec("INSERT INTO migrations VALUES ('9999-later')")
  database.close()
  expect(await checkDataFolder(folder)).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('newer version of Medloom (step 9999-later)'),
  })
  rmSync(folder, { recursive: true })
})
