import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RayRefusal, RayUnreachable } from './ray-http.js'
import { RayJobs } from './ray-jobs.js'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

let server: Server
let answer: Answer
let folder: string
let jobs: RayJobs
const received: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[] = []

beforeEach(async () => {
  received.length = 0
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      received.push({ method, path: url, headers, body })
      answer(request, response, body)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  folder = mkdtempSync(join(tmpdir(), 'medloom-ray-jobs-'))
  writeFileSync(join(folder, 'token'), 'secret\n')
  jobs = jobsWith()
})
afterEach(async () => {
  jobs.close()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  rmSync(folder, { recursive: true })
})

/** answerMilliseconds: the wait for an answer, for a test that gets none. */
function jobsWith(answerMilliseconds?: number): RayJobs {
  return new RayJobs({ address: address(), tokenFile: join(folder, 'token'), answerMilliseconds })
}

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const text =
  (status: number, body: string): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
const json = (body: unknown): Answer => text(200, JSON.stringify(body))
const submission = {
  submission_id: 'a-1',
  entrypoint: 'exec true',
  runtime_env: { env_vars: {} },
  metadata: {},
}

describe('a request to Ray', () => {
  it('has the current token of the file, and no header of a browser', async () => {
    answer = json({ session_name: 's', ray_version: '2.60.0' })
    await jobs.version()
    writeFileSync(join(folder, 'token'), 'another')
    await jobs.version()
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', 'Bearer another'])
    expect(Object.keys(received[0]?.headers ?? {}).filter((name) => name.startsWith('sec-'))).toEqual([])
    expect(received[0]?.headers['user-agent'] ?? '').not.toContain('Mozilla')
  })

  it.each<[string, Answer, RegExp]>([
    ['a token that is not its own', text(401, 'Unauthorized'), /rejects the token/],
    ['a token of another cluster', text(403, 'Forbidden'), /rejects the token/],
    ['a connection that breaks', (_, response) => response.destroy(), /does not respond/],
    ['an answer of another program', text(200, '<html>'), /not from Ray's Jobs API/],
    ['an answer of another shape', json({ version: 4 }), /not from Ray's Jobs API/],
    ['a method that a proxy refuses', text(405, 'Method Not Allowed'), /405 Method Not Allowed/],
  ])('that meets %s says nothing of the cluster', async (_, given, message) => {
    answer = given
    for (const call of [() => jobs.version(), () => jobs.submit(submission), () => jobs.details('a-1')]) {
      const error = await call().then(
        () => null,
        (reason) => reason,
      )
      if (error === null) continue // Answers with status 200 count as accepted.
      expect(error).toBeInstanceOf(RayUnreachable)
      expect(error.message).toMatch(message)
      expect(error.message).not.toContain('secret')
    }
    await expect(jobs.version()).rejects.toThrow(message)
  })

  it('that gets no answer in time says nothing of the cluster', async () => {
    answer = () => undefined
    const impatient = jobsWith(200)
    for (const call of [() => impatient.version(), () => impatient.details('a-1')])
      await expect(call()).rejects.toThrow(
        new RayUnreachable(`${address()} does not respond: no response for 0.2 s`),
      )
    impatient.close()
  })
})

describe('a submission', () => {
  it('is sent completely', async () => {
    answer = json({ submission_id: 'a-1' })
    await jobs.submit(submission)
    expect(received).toMatchObject([{ method: 'POST', path: '/api/jobs/' }])
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(submission)
  })

  it('that already exists counts as the same one', async () => {
    answer = text(
      500,
      'Traceback\nValueError: Job with submission_id a-1 already exists. Please use a different one.\n.\n',
    )
    await jobs.submit(submission)
    answer = text(500, 'ValueError: Job with submission_id b-1 already exists.')
    await expect(jobs.submit(submission)).rejects.toBeInstanceOf(RayUnreachable)
  })

  it('that Ray will never accept is refused with its message', async () => {
    answer = text(400, 'Traceback (most recent call last):\n  File "a.py"\nTypeError: unexpected keyword\n')
    await expect(jobs.submit(submission)).rejects.toBeInstanceOf(RayRefusal)
    await expect(jobs.submit(submission)).rejects.toThrow('TypeError: unexpected keyword')
  })

  it('is unknown only if Ray confirms that', async () => {
    answer = text(404, 'Job a-1 does not exist')
    expect(await jobs.details('a-1')).toBeNull()
    await jobs.stop('a-1')
    answer = text(404, '<html>no such site</html>')
    await expect(jobs.details('a-1')).rejects.toBeInstanceOf(RayUnreachable)
    await expect(jobs.stop('a-1')).rejects.toBeInstanceOf(RayUnreachable)
  })
})

it('counts the resources of nodes that are alive', async () => {
  const node = (state: string, resources_total: object | null) => ({ node_id: 'n', state, resources_total })
  const started = { start_time_ms: 1_790_000_000_000 }
  const nodes = [
    { ...node('ALIVE', { CPU: 8, GPU: 2, memory: 1e9 }), ...started },
    node('ALIVE', { memory: 1e9 }),
    node('DEAD', { CPU: 8 }),
    node('ALIVE', null),
  ]
  answer = json({ result: true, data: { result: { total: 4, result: nodes } } })
  expect(await jobs.nodes()).toEqual([
    { id: 'n', cpus: 8, gpus: 2, startedAt: started.start_time_ms },
    { id: 'n', cpus: 0, gpus: 0, startedAt: 0 },
    { id: 'n', cpus: 0, gpus: 0, startedAt: 0 },
  ])
})
