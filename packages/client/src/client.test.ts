import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ROUTES, type RouteName } from '@medloom/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { composeRequest } from './call.js'
import { MedloomClient as BrowserClient } from './client.js'
import { MedloomClient, MedloomError } from './node.js'

const servers: Server[] = []

async function serve(handle: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => handle(request, response, body))
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((ready) => server.once('listening', ready))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

describe('a download', () => {
  it.each([
    ['node', (baseUrl: string) => new MedloomClient({ baseUrl })],
    ['a browser', (baseUrl: string) => new BrowserClient({ baseUrl })],
  ])('in %s gives pieces as they arrive, for longer than the wait for the first one', async (_, make) => {
    let end = () => {}
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 6 }).write('one')
      end = () => response.end('two')
    })
    const input = { job_id: 'j', path: 'exports/m.onnx' }
    const { sizeBytes, pieces } = await make(baseUrl).download('getJobFile', input, { timeoutSeconds: 3 })
    let text = ''
    for await (const piece of pieces) {
      text += new TextDecoder().decode(piece)
      if (text === 'one') setTimeout(end, 3200)
    }
    expect([sizeBytes, text]).toEqual([6, 'onetwo'])
  })

  it('that is refused is an error like every other', async () => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(404).end(JSON.stringify({ error: 'no', code: 'RUN_FILE_NOT_FOUND', details: '' }))
    })
    const refused = new MedloomClient({ baseUrl }).download('getJobFile', { job_id: 'j', path: 'x' })
    await expect(refused).rejects.toMatchObject({ code: 'RUN_FILE_NOT_FOUND' })
  })
})

describe('a call', () => {
  it('has one method for each route of the table', () => {
    const client = new MedloomClient({ baseUrl: 'http://127.0.0.1:9' })
    for (const name of Object.keys(ROUTES) as RouteName[]) expect(client[name], name).toBeTypeOf('function')
  })

  it('sends each field where the table of routes declares it: path, query, body', () => {
    expect(composeRequest('evaluateModel', { model_id: 'a/b', split: 'val' })).toEqual({
      method: 'POST',
      path: '/api/models/a%2Fb/evaluate',
      body: '{"split":"val"}',
    })
    expect(composeRequest('listJobEvents', { job_id: 'j', since: 3, limit: undefined }).path).toBe(
      '/api/training/j/events?since=3',
    )
    expect(composeRequest('stopJob', { job_id: 'j' }).body).toBeUndefined()
    expect(() => composeRequest('stopJob', {})).toThrow('job_id')
    expect(
      composeRequest('getJobFile', { job_id: 'j', path: 'reports/a b?.html', download: 'true' }).path,
    ).toBe('/api/training/j/files/reports/a%20b%3F.html?download=true')
  })

  it('leaves judging unknown fields to the service', () => {
    expect(composeRequest('startTraining', { confg: 1 }).body).toBe('{"confg":1}')
  })

  it('sends the token and the idempotency key', async () => {
    const baseUrl = await serve((request, response) => {
      response.end(
        JSON.stringify({ seen: request.headers.authorization, key: request.headers['idempotency-key'] }),
      )
    })
    const client = new MedloomClient({ baseUrl: `${baseUrl}/`, token: 'secret' })
    const config = {} as never
    expect(await client.startTraining({ config }, { idempotencyKey: 'k1' })).toEqual({
      seen: 'Bearer secret',
      key: 'k1',
    })
  })
})

describe('an error', () => {
  const failure = async (promise: Promise<unknown>): Promise<MedloomError> => {
    const error = await promise.then(
      () => undefined,
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(MedloomError)
    return error
  }

  it('of the service keeps code, details, issues and request id', async () => {
    const issues = [
      { path: 'config.trainin', code: 'UNKNOWN_FIELD', message: 'unknown key', hint: 'training?' },
    ]
    const baseUrl = await serve((_, response) => {
      response.statusCode = 400
      response.end(
        JSON.stringify({ error: 'no', code: 'UNKNOWN_FIELD', details: 'do this', request_id: 'r1', issues }),
      )
    })
    const error = await failure(new MedloomClient({ baseUrl }).getHealth())
    expect(error).toMatchObject({
      http: 400,
      code: 'UNKNOWN_FIELD',
      details: 'do this',
      issues,
      requestId: 'r1',
    })
    expect(error.isTransient).toBe(false)
  })

  it('distinguishes no response, a timeout, a cancellation by the caller, and a server other than Medloom', async () => {
    const nobody = new MedloomClient({ baseUrl: 'http://127.0.0.1:9' })
    expect(await failure(nobody.getHealth())).toMatchObject({
      http: 0,
      code: 'UNREACHABLE',
      isTransient: true,
    })

    const silent = new MedloomClient({ baseUrl: await serve(() => {}) })
    expect(await failure(silent.getHealth({}, { timeoutSeconds: 0.05 }))).toMatchObject({ code: 'TIMEOUT' })
    expect(await failure(silent.getHealth({}, { signal: AbortSignal.timeout(20) }))).toMatchObject({
      code: 'ABORTED',
    })

    const page = new MedloomClient({ baseUrl: await serve((_, response) => response.end('<html>')) })
    expect(await failure(page.getHealth())).toMatchObject({ code: 'INVALID_RESPONSE' })
  })
})

it('keeps the core free of Node, so that browsers can load it', () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && file !== 'node.ts',
  )
  expect(files).toContain('watch.ts')
  for (const file of files)
    expect(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'), file).not.toMatch(/from '(node:|ws')/)
})
