import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { MedloomClient as BrowserClient } from './client.js'
import { MedloomClient } from './node.js'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Responds in turn, repeating the last response. @returns the keys of the requests in order */
async function serve(...answers: Answer[]) {
  const keys: unknown[] = []
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      keys.push(request.headers['idempotency-key'])
      answers[Math.min(keys.length, answers.length) - 1]?.(request, response)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  return { keys, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const refuse =
  (code: string): Answer =>
  (_, response) =>
    void response.writeHead(503).end(JSON.stringify({ error: 'away', code, details: '' }))
const away = refuse('DATABASE_UNAVAILABLE')
const cut: Answer = (request) => request.socket.destroy()
const created: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"workflow_id":"w"}')
}
const workflow = { workflow: {} as never }

it.each([
  ['node', (baseUrl: string) => new MedloomClient({ baseUrl })],
  ['a browser', (baseUrl: string) => new BrowserClient({ baseUrl })],
])('in %s a request with a key is sent again, with that key, until the database answers', async (_, make) => {
  const { keys, baseUrl } = await serve(away, cut, created)
  const response = await make(baseUrl).createWorkflow(workflow, { idempotencyKey: 'k' })
  expect([response, keys]).toEqual([{ workflow_id: 'w' }, ['k', 'k', 'k']])
})

it('a controller that is not there, or ended meanwhile, is waited for', async () => {
  const { keys, baseUrl } = await serve(refuse('CONTROLLER_LOST'), refuse('CONTROLLER_UNAVAILABLE'), created)
  const response = await new MedloomClient({ baseUrl }).createWorkflow(workflow, { idempotencyKey: 'k' })
  expect([response, keys]).toEqual([{ workflow_id: 'w' }, ['k', 'k', 'k']])
})

it('a connection that breaks before the response is not an answer to a request with a key', async () => {
  const { keys, baseUrl } = await serve(cut, created)
  await new MedloomClient({ baseUrl }).createWorkflow(workflow, { idempotencyKey: 'k' })
  expect(keys).toEqual(['k', 'k'])
})

it('without a key nothing is sent twice, and other errors are reported at once', async () => {
  for (const code of ['DATABASE_UNAVAILABLE', 'CONTROLLER_UNAVAILABLE', 'CONTROLLER_LOST']) {
    const { keys, baseUrl } = await serve(refuse(code), created)
    await expect(new MedloomClient({ baseUrl }).createWorkflow(workflow)).rejects.toMatchObject({ code })
    expect(keys).toEqual([undefined])
    server.close()
  }
  const second = await serve((_, response) => {
    response.writeHead(500).end(JSON.stringify({ error: 'no', code: 'INTERNAL', details: '' }))
  })
  const other = new MedloomClient({ baseUrl: second.baseUrl })
  await expect(other.createWorkflow(workflow, { idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'INTERNAL',
  })
  expect(second.keys).toEqual(['k'])
})

it('a route that takes no key is not asked twice', async () => {
  const { keys, baseUrl } = await serve(away, created)
  const stopped = new MedloomClient({ baseUrl }).stopJob({ job_id: 'a' }, { idempotencyKey: 'k' })
  await expect(stopped).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  expect(keys).toEqual(['k'])
})

it('a repetition ends after its time limit, and a refused connection is reported at once', async () => {
  const { keys, baseUrl } = await serve(away)
  const client = new MedloomClient({ baseUrl })
  const given = client.createWorkflow(workflow, { idempotencyKey: 'k', retrySeconds: 0.1 })
  await expect(given).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  expect(keys.length).toBeLessThan(4)
  const nobody = new MedloomClient({ baseUrl: 'http://127.0.0.1:1' })
  await expect(nobody.createWorkflow(workflow, { idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  })
})
