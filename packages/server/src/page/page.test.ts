import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPeople } from '../../testing/people.js'
import { registerErrors } from '../http/errors.js'
import { registerWebSockets } from '../http/websockets.js'
import { registerGuard } from '../security/guard.js'
import { registerPage } from './page.js'

const INDEX = '<!doctype html><script type="module" src="/assets/app-1a2b.js"></script>'
const SCRIPT = 'console.log("page")\n'.repeat(50)
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const base = mkdtempSync(join(tmpdir(), 'medloom-page-'))
const folder = join(base, 'dist')
mkdirSync(join(folder, 'assets', '.hidden'), { recursive: true })
for (const [name, text] of [
  ['index.html', INDEX],
  ['assets/app-1a2b.js', SCRIPT],
] as const) {
  writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
  writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
}
writeFileSync(join(folder, 'assets/plain-3c4d.svg'), '<svg/>')
writeFileSync(join(folder, 'assets/.env'), 'secret')
writeFileSync(join(folder, 'assets/.hidden/file.js'), 'secret')
writeFileSync(join(base, 'outside.js'), 'secret')

/** The page of `folder` behind a guard that requires a token. */
async function serve(folder: string) {
  const app = Fastify({
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
  })
  registerErrors(app)
  await registerWebSockets(app)
  const people = await openPeople('a-long-enough-token')
  app.addHook('onClose', () => people.destroy())
  registerGuard(app, { host: '127.0.0.1', ...people })
  await registerPage(app, folder)
  app.get('/api/models', { config: { access: 'read' } }, async () => ({ models: [] }))
  return app
}
let app: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  app = await serve(folder)
})
afterAll(() => app.close())
const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { host: 'localhost', ...headers } })
const TOKEN = { authorization: 'Bearer a-long-enough-token' }

describe('the page', () => {
  test.each(['/', '/?tab=2', '/runs/4711', '/runs/4711/', '/data/x.csv', '/apix', '/documents', '/r/a%20b'])(
    'is served at %s without a token, and is never stored',
    async (url) => {
      const answer = await get(url, HTML)
      expect([answer.statusCode, answer.body]).toEqual([200, INDEX])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
    },
  )

  test('is served at / whatever is accepted; HEAD returns the same headers', async () => {
    expect((await get('/', { accept: '*/*' })).body).toBe(INDEX)
    const head = await app.inject({ method: 'HEAD', url: '/runs/1', headers: { host: 'localhost', ...HTML } })
    expect([head.statusCode, head.body, head.headers['cache-control']]).toEqual([200, '', 'no-store'])
  })

  test.each(['/api', '/api/nothing', '/api?x', '/ws/nothing', '/docs/nothing', '/openapi.json', '/metrics'])(
    'is not at %s, where the service itself answers and requires the token',
    async (url) => {
      expect((await get(url, HTML)).statusCode).toBe(401)
      const answer = await get(url, { ...HTML, ...TOKEN })
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'ROUTE_NOT_FOUND'])
    },
  )

  test('is not returned to programs, other methods or upgrades at its addresses', async () => {
    expect((await get('/runs/4711', TOKEN)).json().code).toBe('ROUTE_NOT_FOUND')
    expect((await get('/runs/4711', { ...TOKEN, accept: '*/*' })).json().code).toBe('ROUTE_NOT_FOUND')
    const posted = await app.inject({ method: 'POST', url: '/', headers: { host: 'localhost', ...TOKEN } })
    expect(posted.json().code).toBe('ROUTE_NOT_FOUND')
    await expect(app.injectWS('/', { headers: { host: 'localhost', ...TOKEN } })).rejects.toThrow('404')
  })

  test('is refused for other hosts and origins', async () => {
    expect((await get('/', { host: 'example.org' })).json().code).toBe('FORBIDDEN_HOST')
    expect((await get('/', { origin: 'null' })).json().code).toBe('FORBIDDEN_ORIGIN')
  })

  test('that is not built is explained', async () => {
    const empty = await serve(join(base, 'no-such-folder'))
    const answer = await empty.inject({ url: '/', headers: { host: 'localhost' } })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(answer.body).toContain('npm run setup')
    await empty.close()
  })
})

describe('assets', () => {
  test('are cached for a year, since their names contain a digest', async () => {
    const { statusCode, headers, body } = await get('/assets/app-1a2b.js')
    expect([statusCode, body]).toEqual([200, SCRIPT])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['content-type']).toMatch(/^application\/javascript/)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
  ] as const)('and index are sent compressed: Accept-Encoding %s', async (accepted, encoding, unpack) => {
    for (const [url, text] of [
      ['/assets/app-1a2b.js', SCRIPT],
      ['/', INDEX],
    ] as const) {
      const { headers, rawPayload } = await get(url, { 'accept-encoding': accepted })
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding'])
      expect(headers['content-type']).not.toContain('octet-stream')
      expect(unpack(rawPayload).toString()).toBe(text)
    }
  })

  test('without a compressed variant are sent uncompressed', async () => {
    const { headers, body } = await get('/assets/plain-3c4d.svg', { 'accept-encoding': 'br, gzip' })
    expect([headers['content-encoding'], headers['content-type'], body]).toEqual([
      undefined,
      'image/svg+xml',
      '<svg/>',
    ])
  })

  test.each([
    '/assets/old-5e6f.js',
    '/assets',
    '/assets/',
    '/assets/.env',
    '/assets/.hidden/file.js',
    '/assets/../index.html',
    '/assets/../../outside.js',
    '/assets/..%2f..%2foutside.js',
    '/assets/%2e%2e/%2e%2e/outside.js',
    '/assets/..%5c..%5coutside.js',
    '/assets/%00',
    '/outside.js',
    '/index.html',
    '/../outside.js',
  ])('%s is not an asset: an error, never the page or another file, and never cached', async (url) => {
    const answer = await get(url, { ...TOKEN, accept: '*/*' })
    expect([400, 404]).toContain(answer.statusCode)
    expect(answer.json()).toHaveProperty('code')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('that do not exist return an error, even when a browser opens their address', async () => {
    expect((await get('/assets/old-5e6f.js', HTML)).json().code).toBe('ROUTE_NOT_FOUND')
  })
})
