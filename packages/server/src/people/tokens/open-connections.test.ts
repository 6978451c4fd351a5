import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type CreatedToken, OTHER_FILE_TYPE } from '@medloom/contracts'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openReused } from '../../../testing/databases.js'
import { peopleOf } from '../../../testing/people.js'
import { testSettings } from '../../../testing/service.js'
import { buildApp } from '../../app.js'
import type { ServiceContext } from '../../context.js'
import type { Database } from '../../database/database.js'
import { filesRoutes } from '../../files/files.routes.js'
import { Uploads } from '../../files/uploads.js'
import { Bytes, type Handlers } from '../../http/bind.js'
import { createMetrics } from '../../http/metrics.js'
import type { People } from '../index.js'
import { TOKEN_ENDED } from './open-connections.js'

const SERVICE_TOKEN = 'the-token-of-the-service'
let base: string
let database: Database
let people: People
let uploads: Uploads
let address: string
let close: () => Promise<void>
/** The content of every file of a job. */
let endless: PassThrough

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'medloom-connections-'))
  const folder = { uploads: join(base, 'uploads'), incoming: join(base, 'incoming') }
  for (const path of Object.values(folder)) mkdirSync(path)
  database = await openReused()
  people = peopleOf(database, SERVICE_TOKEN)
  uploads = new Uploads(folder)
  endless = new PassThrough()
  const metrics = createMetrics()
  const pool = { close: async () => undefined }
  const log = pino({ level: 'silent' })
  const app = await buildApp({
    context: { settings: testSettings(), database, gauges: metrics, log, pool } as unknown as ServiceContext,
    ...{ metrics, people },
    handlers: {
      ...{ ...people.routes, ...filesRoutes({} as never, uploads) },
      getJobFile: () => new Bytes(endless, OTHER_FILE_TYPE),
    } as unknown as Handlers,
    tasks: { begin: async () => Promise.reject(new Error('there are no tasks')) },
    sockets: [
      (app) =>
        app.get('/ws', { websocket: true, config: { access: 'read' } }, (socket) => socket.send('open')),
    ],
  })
  address = await app.listen({ host: '127.0.0.1', port: 0 })
  close = async () => {
    await app.close()
    people.close()
    metrics.close()
  }
})
afterEach(async () => {
  await close()
  await database.destroy()
  rmSync(base, { recursive: true })
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
  const response = await fetch(address + path, {
    ...{ method, headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) } },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  expect(response.status).toBe(200)
  return response
}
const createToken = async () => {
  const request = { user: 'ann', role: 'run', name: 'test' }
  return (await send('POST', '/api/tokens', bearer(SERVICE_TOKEN), request)).json() as Promise<CreatedToken>
}
const revoke = (tokenId: string) => send('DELETE', `/api/tokens/${tokenId}`, bearer(SERVICE_TOKEN))
/** @returns the headers of a page with a login */
const logIn = async (token: string) => {
  const response = await send('POST', '/api/login', {}, { token })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { cookie, origin: address }
}
const openSocket = async (headers: Record<string, string>) => {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`, { headers })
  const closed = new Promise<number>((done) => socket.once('close', done))
  await new Promise((done, fail) => socket.once('message', done).once('error', fail))
  return { socket, closed }
}

describe('a logout', () => {
  test.each(['a named token', 'the token of the service'])(
    'closes only the sockets of its login, made with %s',
    async (kind) => {
      const secret = kind === 'a named token' ? (await createToken()).secret : SERVICE_TOKEN
      const [login, other] = [await logIn(secret), await logIn((await createToken()).secret)]
      const mine = await openSocket(login)
      const others = [await openSocket(other), await openSocket(bearer(secret))]
      await send('POST', '/api/logout', login)
      expect(await mine.closed).toBe(TOKEN_ENDED)
      // A copy of the cookie is not valid after the logout either.
      const again = await fetch(`${address}/api/session`, { headers: login })
      expect(await again.json()).toMatchObject({ authenticated: false })
      for (const { socket } of others) {
        expect(socket.readyState).toBe(WebSocket.OPEN)
        socket.close()
      }
    },
  )

  test('in another process closes the sockets of this one', async () => {
    const { closed } = await openSocket(await logIn((await createToken()).secret))
    await database.deleteFrom('sessions').execute()
    people.endedElsewhere(null)
    expect(await closed).toBe(TOKEN_ENDED)
  })
})

describe('a piece of an upload', () => {
  /** Sends the first half of a piece and waits for its arrival; returns a function that sends the rest. */
  async function sendHalf(headers: Record<string, string>) {
    const { upload_id } = await uploads.create({ folder: 'a', path: 'b', size_bytes: 10 }, 'ann')
    const sent = request(`${address}/api/uploads/${upload_id}?offset=0`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': 10 },
    })
    const outcome = outcomeOf(sent)
    sent.write('12345')
    const received = async () => (await uploads.get(upload_id)).offset
    await expect.poll(received).toBe(5)
    const sendRest = () => {
      sent.end('67890')
      return outcome
    }
    return { received, sendRest }
  }

  test.each(['token', 'login'])(
    'whose %s ends while it arrives is neither stored further nor acknowledged',
    async (kind) => {
      const { secret, token_id } = await createToken()
      const login = kind === 'login' ? await logIn(secret) : null
      const { received, sendRest } = await sendHalf(login ?? bearer(secret))
      if (login) await send('POST', '/api/logout', login)
      else await revoke(token_id)
      expect(await sendRest()).toBe('closed')
      expect(await received()).toBe(5)
    },
  )

  test('is not acknowledged after another process revoked its token, even before the notification', async () => {
    const { secret } = await createToken()
    const { sendRest } = await sendHalf(bearer(secret))
    await database.updateTable('tokens').set({ revoked_at: new Date().toISOString() }).execute()
    expect(await sendRest()).toBe(401)
  })
})

test('a download ends with the token', async () => {
  const { secret, token_id } = await createToken()
  endless.write('the beginning')
  const response = await fetch(`${address}/api/training/a/files/logs/training.log`, {
    headers: bearer(secret),
  })
  const reader = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('the beginning')
  await revoke(token_id)
  endless.write('the rest')
  await expect(reader?.read()).rejects.toThrow()
})

/** The status of the response, or 'closed' if the connection was closed before. */
function outcomeOf(sent: ClientRequest): Promise<number | undefined | 'closed'> {
  return new Promise((done) => {
    sent.once('response', (response) => {
      response.resume()
      done(response.statusCode)
    })
    sent.on('error', () => done('closed'))
  })
}
