/** @module-tag service */
import { request } from 'node:http'
import { connect } from 'node:net'
import { ErrorBody, LIMITS, WORKFLOW_LIMITS } from '@medloom/contracts'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestService } from '../../testing/service.js'

let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const JSON_TYPE = { 'content-type': 'application/json' }
const inject = (options: InjectOptions) => service.app.inject(options)
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const CREATE = { method: 'POST', url: '/api/workflow/create' } as const
const START = { method: 'POST', url: '/api/training/start' } as const

describe('every answer that is an error has error, code, details and request_id', () => {
  test.each<[string, InjectOptions, number, string]>([
    ['unknown address', { url: '/nothing' }, 404, 'ROUTE_NOT_FOUND'],
    [
      'unknown address, POST with a body',
      { method: 'POST', url: '/nothing', payload: {} },
      404,
      'ROUTE_NOT_FOUND',
    ],
    ['wrong method', { method: 'DELETE', url: '/api/models' }, 404, 'ROUTE_NOT_FOUND'],
    ['wrong method on a socket', { url: '/ws/training/x' }, 404, 'ROUTE_NOT_FOUND'],
    ['unknown job', { url: '/api/training/x/status' }, 404, 'JOB_NOT_FOUND'],
    ['unknown model', { url: '/api/models/x' }, 404, 'MODEL_NOT_FOUND'],
    [
      'unknown model, evaluated without a body',
      { method: 'POST', url: '/api/models/x/evaluate' },
      404,
      'MODEL_NOT_FOUND',
    ],
    ['unknown dataset', { url: '/api/datasets/x' }, 404, 'DATASET_NOT_FOUND'],
    ['broken JSON', { ...START, headers: JSON_TYPE, payload: '{"config":' }, 400, 'INVALID_JSON'],
    [
      'a login of 5 kB',
      { method: 'POST', url: '/api/login', payload: { token: 'x'.repeat(5000) } },
      400,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'more values than a body may have',
      { ...START, headers: JSON_TYPE, payload: `{"a":[0${',0'.repeat(LIMITS.body_values)}]}` },
      400,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'more keys than an object of the route may have',
      {
        method: 'POST',
        url: '/api/tokens',
        headers: JSON_TYPE,
        payload: Object.fromEntries(
          Array.from({ length: LIMITS.body_keys + 1 }, (_, index) => [`k${index}`, 1]),
        ),
      },
      400,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'deeper than a body of the route may be',
      { method: 'POST', url: '/api/tokens', headers: JSON_TYPE, payload: nested(5) },
      400,
      'PAYLOAD_TOO_DEEP',
    ],
    [
      'deeper than a workflow may be',
      { ...CREATE, headers: JSON_TYPE, payload: nested(WORKFLOW_LIMITS.workflow_depth + 1) },
      400,
      'PAYLOAD_TOO_DEEP',
    ],
    ['no body', START, 400, 'INVALID_REQUEST'],
    ['empty body', { ...START, headers: JSON_TYPE, payload: '' }, 400, 'INVALID_REQUEST'],
    ['a body that is not an object', { ...START, headers: JSON_TYPE, payload: '[]' }, 400, 'INVALID_REQUEST'],
    [
      'null where the body may be left out',
      { method: 'POST', url: '/api/models/x/evaluate', headers: JSON_TYPE, payload: 'null' },
      400,
      'INVALID_REQUEST',
    ],
    ['null', { ...START, headers: JSON_TYPE, payload: 'null' }, 400, 'INVALID_REQUEST'],
    [
      'another content type',
      { ...START, headers: { 'content-type': 'text/plain' }, payload: '{}' },
      400,
      'INVALID_JSON',
    ],
    [
      'a form',
      { ...START, headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a=1' },
      400,
      'INVALID_JSON',
    ],
    ['no content type', { ...START, headers: { 'content-type': '' }, payload: '{}' }, 400, 'INVALID_JSON'],
    ['too deep', { ...START, headers: JSON_TYPE, payload: '['.repeat(40) }, 400, 'PAYLOAD_TOO_DEEP'],
    [
      'too large',
      { ...START, headers: JSON_TYPE, payload: `"${'x'.repeat(LIMITS.body_bytes)}"` },
      400,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      '__proto__',
      { ...START, headers: JSON_TYPE, payload: '{"config":{"__proto__":{}}}' },
      400,
      'INVALID_REQUEST',
    ],
    ['malformed percent-encoding', { url: '/api/models/%zz' }, 400, 'INVALID_REQUEST'],
    ['a name without end', { url: `/api/models/${'x'.repeat(5000)}` }, 404, 'ROUTE_NOT_FOUND'],
    ['a page that is too large', { url: '/api/models?page_size=1001' }, 400, 'INVALID_REQUEST'],
    ['an invented page token', { url: '/api/models?page_token=abc' }, 400, 'INVALID_PAGE_TOKEN'],
    [
      'a path outside the roots',
      { method: 'POST', url: '/api/datasets', payload: { path: '/etc/passwd' } },
      400,
      'PATH_NOT_ALLOWED',
    ],
    [
      'a missing file',
      { method: 'POST', url: '/api/datasets/inspect', payload: { path: 'a.csv' } },
      400,
      'FILE_NOT_FOUND',
    ],
    ['another machine', { url: '/api/models', headers: { host: 'example.org' } }, 400, 'FORBIDDEN_HOST'],
    [
      'another machine, unknown address',
      { url: '/nothing', headers: { host: 'example.org' } },
      400,
      'FORBIDDEN_HOST',
    ],
    [
      'another origin',
      { url: '/api/models', headers: { origin: 'http://example.org' } },
      400,
      'FORBIDDEN_ORIGIN',
    ],
    ['a sandboxed page', { ...START, headers: { origin: 'null' }, payload: {} }, 400, 'FORBIDDEN_ORIGIN'],
  ])('%s', async (_case, options, status, code) => {
    const response = await inject(options)
    expect({ status: response.statusCode, code: response.json().code }).toEqual({ status, code })
    const body = ErrorBody.parse(response.json())
    expect(body.error).not.toBe('')
    expect(body.details).not.toBe('')
    expect(body.request_id).toBe(response.headers['x-request-id'] ?? body.request_id)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

test('all problems of a configuration are reported at once, each with its path and the nearest name', async () => {
  const response = await inject({
    ...START,
    payload: {
      config: {
        data: { train_csv: 'a.csv', val_cvs: 'b.csv' },
        model: { vision_backbone: 'resnet51', fusion_type: 'gated' },
        training: { epochs: 0, batch_size: '8' },
      },
    },
  })
  const { code, issues } = response.json()
  expect([response.statusCode, code]).toEqual([400, 'INVALID_CONFIG'])
  const places = Object.fromEntries(
    issues.map((issue: { path: string; hint?: string }) => [issue.path, issue.hint]),
  )
  expect(Object.keys(places).sort()).toEqual([
    'config.data.val_cvs',
    'config.model.vision_backbone',
    'config.training.batch_size',
    'config.training.epochs',
  ])
  expect(places['config.data.val_cvs']).toContain('val_csv')
  expect(places['config.model.vision_backbone']).toContain('resnet')
})

test('a known address with another method reports the methods that it supports', async () => {
  const response = await inject({ method: 'PUT', url: '/api/training/start' })
  expect(response.json().details).toBe('It accepts POST.')
  expect(response.headers.allow).toBe('POST, OPTIONS')
})

test('HEAD answers as GET without a body; OPTIONS names the methods and allows no other origin', async () => {
  const head = await inject({ method: 'HEAD', url: '/api/system/health' })
  expect([head.statusCode, head.body]).toEqual([200, ''])
  const options = await inject({ method: 'OPTIONS', url: '/api/datasets' })
  expect([options.statusCode, options.headers.allow]).toEqual([200, 'GET, HEAD, POST, OPTIONS'])
  expect(Object.keys(options.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  expect((await inject({ method: 'OPTIONS', url: '/nothing' })).statusCode).toBe(404)
})

test.each([
  ['/api/workflow/create', 'POST, OPTIONS'],
  ['/api/workflow/import', 'POST, OPTIONS'],
  ['/api/workflow/templates', 'GET, HEAD, OPTIONS'],
  ['/api/workflow/cache', 'GET, HEAD, DELETE, OPTIONS'],
  ['/api/datasets/inspect', 'POST, OPTIONS'],
  ['/api/workflow/some-id', 'GET, HEAD, PUT, DELETE, OPTIONS'],
])('OPTIONS of %s names its own methods, not those of an address with a parameter', async (url, allow) => {
  expect((await inject({ method: 'OPTIONS', url })).headers.allow).toBe(allow)
})

test.each(['/api/models/', '/api/%6dodels'])('%s is /api/models', async (url) => {
  expect((await inject({ url })).statusCode).toBe(200)
})

test('a short plain X-Request-Id of the caller is used, any other is replaced', async () => {
  const idFor = async (given?: string) =>
    (await inject({ url: '/nothing', headers: given ? { 'x-request-id': given } : {} })).json().request_id
  expect(await idFor('run-42.a')).toBe('run-42.a')
  expect(await idFor('a b')).toMatch(/^[\da-f-]{36}$/)
  expect(await idFor('x'.repeat(65))).toMatch(/^[\da-f-]{36}$/)
})

test('every answer carries the security headers, and none allows another origin', async () => {
  for (const url of ['/api/models', '/nothing', '/docs', '/openapi.json', '/api/training/x/status']) {
    const { headers } = await inject({ url })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toMatch(/https?:|\*/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
})

describe('over the network', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(service.address).port), '127.0.0.1', () => socket.write(text))
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })

  test.each([
    ['no HTTP at all', 'HELLO\r\n\r\n'],
    [
      'two lengths',
      'POST /api/datasets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['headers of 100 kB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    [
      'an absolute target',
      'GET http://localhost/api/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ],
    ['a target that is not a path', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'an expectation',
      'GET /api/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 200-ok\r\n\r\n',
    ],
  ])('%s is a 400 with the error body', async (_case, text) => {
    const answer = await raw(text)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(ErrorBody.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).code).toBe('INVALID_REQUEST')
  })

  test.each([
    ['no key', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key'],
    [
      'another version',
      'Sec-WebSocket-Version: 99\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Version',
    ],
  ])('a WebSocket handshake with %s is a 400 with the error body', async (_case, header, named) => {
    const created = await inject({ method: 'POST', url: '/api/workflow/create', payload: { name: 'a' } })
    const answer = await raw(
      `GET /ws/workflow/${created.json().workflow_id} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${header}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*sec-websocket-version: 13\r\n/)
    const body = ErrorBody.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''))
    expect([body.code, body.error]).toEqual(['INVALID_REQUEST', expect.stringContaining(named)])
  })

  test.each(['//api/models', '/api//models'])('%s is unknown, to a browser as well', async (path) => {
    const answer = await raw(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/html\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(ErrorBody.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).code).toBe('ROUTE_NOT_FOUND')
  })

  test('a body over the limit is refused even without a declared length', async () => {
    const status = await new Promise((resolve, reject) => {
      const call = request(
        `${service.address}/api/datasets`,
        { method: 'POST', headers: JSON_TYPE },
        async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve([response.statusCode, JSON.parse(text).code])
        },
      )
      call.on('error', reject)
      call.write(`"${'x'.repeat(LIMITS.body_bytes)}`)
    })
    expect(status).toEqual([400, 'PAYLOAD_TOO_LARGE'])
  })

  test.each([1.1, 8])(
    'a client that sends %s MB before it reads receives the reason of the refusal',
    async (size) => {
      const body = JSON.stringify({ name: 'x'.repeat(size * 1e6) })
      for (let round = 0; round < 2; round++) {
        const answer = await fetch(`${service.address}/api/datasets`, {
          method: 'POST',
          headers: JSON_TYPE,
          body,
        })
        expect([answer.status, ErrorBody.parse(await answer.json()).code]).toEqual([400, 'PAYLOAD_TOO_LARGE'])
        const [head = ''] = await sentWhole(body)
        expect(head).toMatch(/^HTTP\/1\.1 400 /)
      }
    },
  )

  test('a client that would send without end is disconnected', async () => {
    const sent = await new Promise<number>((resolve) => {
      const socket = connect(Number(new URL(service.address).port), '127.0.0.1')
      let bytes = 0
      const piece = Buffer.alloc(1 << 20, 32)
      const more = () => {
        bytes += piece.length
        if (socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)) setImmediate(more)
      }
      socket.on('drain', more).on('error', () => undefined)
      socket.on('close', () => resolve(bytes))
      socket.resume()
      socket.write(
        'POST /api/datasets HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      )
      more()
    })
    expect(sent).toBeLessThan(200 * (1 << 20))
  })

  /** The response to a client that reads nothing until it has sent everything. */
  const sentWhole = (body: string) =>
    new Promise<string[]>((resolve, reject) => {
      const socket = connect(Number(new URL(service.address).port), '127.0.0.1')
      socket.on('error', reject)
      socket.pause()
      socket.write(
        `POST /api/datasets HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      )
      socket.write(body, () => {
        socket.once('data', (data) => {
          resolve(String(data).split('\r\n\r\n'))
          socket.destroy()
        })
        socket.resume()
      })
    })

  const upgrade = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; body: string }>((resolve) => {
      const socket = new WebSocket(service.address.replace('http', 'ws') + path, { headers })
      socket.on('unexpected-response', async (_request, response) => {
        let body = ''
        for await (const chunk of response) body += chunk
        resolve({ status: response.statusCode, body })
      })
      socket.on('open', () => resolve({ status: 101, body: '' }))
      socket.on('error', () => {})
    })

  test.each([
    ['another origin', '/ws/training/x', { origin: 'http://example.org' }, 400, 'FORBIDDEN_ORIGIN'],
    ['Origin: null', '/ws/training/x', { origin: 'null' }, 400, 'FORBIDDEN_ORIGIN'],
    ['another host', '/ws/training/x', { host: 'example.org' }, 400, 'FORBIDDEN_HOST'],
    ['another host, doubled slash', '//ws/training/x', { host: 'example.org' }, 400, 'FORBIDDEN_HOST'],
    ['an unknown job', '/ws/training/x', {}, 404, 'JOB_NOT_FOUND'],
    ['an address without a socket', '/ws/nothing', {}, 404, 'ROUTE_NOT_FOUND'],
  ])(
    'an upgrade by %s is refused before it happens, with the error body',
    async (_case, path, headers, status, code) => {
      const answer = await upgrade(path, headers)
      expect(answer.status).toBe(status)
      expect(ErrorBody.parse(JSON.parse(answer.body)).code).toBe(code)
    },
  )
})

test('a workflow may have more values and keys than other bodies, as its route declares', async () => {
  const send = (more: object) =>
    inject({
      ...CREATE,
      payload: { version: '1.1', metadata: { name: 'large' }, nodes: [], connections: [], ...more },
    })
  const keys = Object.fromEntries(
    Array.from({ length: LIMITS.body_keys + 1 }, (_, index) => [`k${index}`, 1]),
  )
  const values = Array(LIMITS.body_values + 1).fill(0)
  for (const more of [{ keys }, { values }])
    expect((await send(more)).statusCode, Object.keys(more)[0]).toBe(200)
  expect((await send({ values: Array(WORKFLOW_LIMITS.workflow_values).fill(0) })).json().code).toBe(
    'PAYLOAD_TOO_LARGE',
  )
})
