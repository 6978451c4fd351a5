import { rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const TOKEN = 'correct-horse-battery-staple-4711'
const caller = new Caller(shared.url)
const folder = temporaryFolder('token')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('5 Authentication', () => {
  const tokenFile = join(folder, 'token')
  const start = (dataDir?: string) =>
    startService({
      roots: [folder],
      ...(dataDir ? { dataDir } : {}),
      arguments: ['--token-file', tokenFile, '--log-level', 'debug'],
    })
  let service: RunningService
  let log: () => string
  beforeAll(async () => {
    writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 })
    service = await start()
    log = logOf(service)
  })
  afterAll(() => service.stop())

  it('the API requires no authentication at its default address', shows('5/none'), async () => {
    expect((await caller.get('/api/models')).status).toBe(200)
  })

  it('with a token, requests and sockets without it are refused', shows('5/authorization'), async () => {
    const guarded = new Caller(service.url)
    const path = '/api/models'
    expect((await guarded.get(path)).status).toBe(401)
    expect((await guarded.get(path, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await guarded.get(path, { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
    await expect(upgradeStatus(`${service.webSocketUrl}/ws/training/x`)).resolves.toBe(401)
  })

  it(
    'a browser logs in with the token and gets a cookie for requests and sockets, until it logs out or the token changes',
    shows('5/authorization'),
    async () => {
      const browser = new Caller(service.url)
      const origin = service.url
      const read = (cookie: string) => browser.get('/api/models', { cookie }).then(({ status }) => status)
      const change = (cookie: string, origin?: string) =>
        browser.post('/api/workflow/create', { name: 'x' }, { cookie, ...(origin ? { origin } : {}) })

      expect((await browser.get('/api/session')).body).toEqual({
        token_required: true,
        authenticated: false,
        user: null,
        role: null,
        identifiers: false,
        token_id: null,
      })
      const wrong = await browser.post('/api/login', { token: 'wrong-horse' }, { origin })
      expect([wrong.status, wrong.body.code, wrong.headers.get('set-cookie')]).toEqual([
        401,
        'LOGIN_FAILED',
        null,
      ])
      const foreign = await browser.post('/api/login', { token: TOKEN }, { origin: 'http://evil.example' })
      expect([foreign.status, foreign.body.code]).toEqual([400, 'FORBIDDEN_ORIGIN'])

      const { status, body, headers } = await browser.post('/api/login', { token: TOKEN }, { origin })
      expect([status, body]).toEqual([
        200,
        {
          token_required: true,
          authenticated: true,
          user: 'service',
          role: 'admin',
          identifiers: true,
          token_id: null,
        },
      ])
      const given = headers.get('set-cookie') ?? ''
      expect(given).toMatch(/^medloom_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
      expect(given).not.toContain(TOKEN)
      const [cookie = ''] = given.split(';')
      expect(await read(cookie)).toBe(200)
      expect((await browser.get('/api/session', { cookie })).body).toMatchObject({ authenticated: true })
      expect((await change(cookie, origin)).status).toBe(200)
      expect((await change(cookie)).body.code).toBe('FORBIDDEN_ORIGIN')
      expect((await change(cookie, 'http://localhost:1')).body.code).toBe('FORBIDDEN_ORIGIN')
      const socket = `${service.webSocketUrl}/ws/training/00000000-0000-4000-8000-000000000000`
      // The upgrade is accepted, and finds no such job.
      expect(await upgradeStatus(socket, origin, cookie)).toBe(404)
      expect(await upgradeStatus(socket, undefined, cookie)).toBe(400)
      expect(await upgradeStatus(socket, 'http://localhost:1', cookie)).toBe(400)
      expect(await upgradeStatus(socket, origin)).toBe(401)

      const elsewhere = await browser.post('/api/login', { token: TOKEN }, { origin })
      const [other = ''] = (elsewhere.headers.get('set-cookie') ?? '').split(';')
      const logout = await browser.post('/api/logout', undefined, { cookie, origin })
      expect(logout.headers.get('set-cookie')).toMatch(/^medloom_session=; .*Max-Age=0/)
      await service.stop()
      expect(service.process.exitCode, 'on SIGTERM').toBe(0)
      expect(log()).toContain('/api/login')
      for (const secret of [TOKEN, 'wrong-horse', cookie.split('=')[1] ?? ''])
        expect(log()).not.toContain(secret)

      // A restart logs nobody out, and nobody in; another token logs everybody out.
      const again = await start(service.dataDir)
      const caller = new Caller(again.url)
      expect((await caller.get('/api/models', { cookie: other })).status).toBe(200)
      expect((await caller.get('/api/models', { cookie })).status).toBe(401)
      await again.stop()
      writeFileSync(tokenFile, 'another-horse-battery-staple-4711\n')
      const changed = await start(service.dataDir)
      expect((await new Caller(changed.url).get('/api/models', { cookie: other })).status).toBe(401)
      await changed.stop()
    },
  )

  it('where no token is required, everybody is logged in', shows('5/none'), async () => {
    const nobody = {
      token_required: false,
      authenticated: true,
      user: 'local',
      role: 'admin',
      identifiers: true,
      token_id: null,
    }
    expect((await caller.get('/api/session')).body).toEqual(nobody)
    const login = await caller.post('/api/login', { token: 'any' })
    expect([login.status, login.body, login.headers.get('set-cookie')]).toEqual([200, nobody, null])
    expect((await caller.post('/api/logout')).status).toBe(200)
  })

  it.each(['null', 'http://evil.example'])(
    'a page of the origin %s is refused, for requests and sockets alike',
    async (origin) => {
      expect((await caller.get('/api/models', { origin })).status).toBe(400)
      await expect(
        upgradeStatus(`${caller.url.replace('http', 'ws')}/ws/training/${shared.referenceJob}`, origin),
      ).resolves.toBe(400)
    },
  )

  it('a request for another host name is refused (DNS rebinding)', async () => {
    const status = await new Promise((done, fail) => {
      request(`${caller.url}/api/models`, { headers: { host: 'evil.example' } }, (response) => {
        response.resume()
        done(response.statusCode)
      })
        .on('error', fail)
        .end()
    })
    expect(status).toBe(400)
  })
})

/** Output of a service so far. */
function logOf({ process }: RunningService): () => string {
  let text = ''
  for (const stream of [process.stdout, process.stderr])
    stream?.on('data', (chunk) => {
      text += chunk
    })
  return () => text
}

function upgradeStatus(url: string, origin?: string, cookie?: string): Promise<number | undefined> {
  return new Promise((done) => {
    const socket = new WebSocket(url, {
      ...(origin === undefined ? {} : { origin }),
      ...(cookie === undefined ? {} : { headers: { cookie } }),
    })
    socket.on('error', () => undefined)
    socket.on('open', () => done(101))
    socket.on('unexpected-response', (_, response) => done(response.statusCode))
  })
}
