import { rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Caller } from '../testing/http.js'
import { startService, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const folder = temporaryFolder('token')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('5 Authentication', () => {
  it('the API requires no authentication at its default address', shows('5/none'), async () => {
    expect((await caller.get('/api/models')).status).toBe(200)
  })

  it('binding elsewhere without a token is refused at the start', shows('5/authorization'), async () => {
    await expect(startService({ roots: [folder], arguments: ['--host', '0.0.0.0'] })).rejects.toThrow(/token/)
  })

  it('with a token, requests and sockets without it are refused', shows('5/authorization'), async () => {
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, 'correct-horse-battery-staple-4711\n', { mode: 0o600 })
    const service = await startService({ roots: [folder], arguments: ['--token-file', tokenFile] })
    const guarded = new Caller(service.url)
    const path = '/api/models'
    expect((await guarded.get(path)).status).toBe(401)
    expect((await guarded.get(path, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect(
      (await guarded.get(path, { authorization: 'Bearer correct-horse-battery-staple-4711' })).status,
    ).toBe(200)
    await expect(upgradeStatus(`${service.webSocketUrl}/ws/training/x`)).resolves.toBe(401)
    await service.stop()
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

function upgradeStatus(url: string, origin?: string): Promise<number | undefined> {
  return new Promise((done) => {
    const socket = new WebSocket(url, origin === undefined ? {} : { origin })
    socket.on('error', () => undefined)
    socket.on('open', () => done(101))
    socket.on('unexpected-response', (_, response) => done(response.statusCode))
  })
}
