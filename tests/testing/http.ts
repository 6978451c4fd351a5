import type { HttpMethod, Job, JobMessage, Study } from '@medloom/contracts'
import { WebSocket } from 'ws'
import { eventually } from '../../packages/server/testing/eventually.js'
import { patient } from './deadline.js'
import { declaredResponse } from './declared-responses.js'

export interface Answer<Body = Record<string, unknown>> {
  status: number
  body: Body
  headers: Headers
}

/** Plain HTTP and WebSocket calls, based only on the specification. */
export class Caller {
  /** `declares`: false if another version responds, whose responses are not declared here. */
  constructor(
    readonly url: string,
    readonly declares = true,
  ) {}

  get = <Body = Record<string, unknown>>(path: string, headers: Record<string, string> = {}) =>
    this.#send<Body>(path, { headers })

  post = <Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    this.#send<Body>(path, {
      method: 'POST',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  put = <Body = Record<string, unknown>>(path: string, body?: unknown) =>
    this.#send<Body>(path, {
      method: 'PUT',
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })

  patch = <Body = Record<string, unknown>>(path: string, body: unknown) =>
    this.#send<Body>(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  delete = <Body = Record<string, unknown>>(path: string) => this.#send<Body>(path, { method: 'DELETE' })

  /** Request with the method that a route declares. */
  request = (method: HttpMethod, path: string, body?: unknown) => {
    if (method === 'GET') return this.get(path)
    if (method === 'DELETE') return this.delete(path)
    if (method === 'PATCH') return this.patch(path, body)
    return method === 'PUT' ? this.put(path, body) : this.post(path, body)
  }

  start = async (config: object, name = 'test'): Promise<string> => {
    const { status, body } = await this.post('/api/training/start', { config, job_name: name })
    if (status !== 200) throw new Error(`start was refused: ${JSON.stringify(body)}`)
    return String(body.job_id)
  }

  status = async (jobId: string): Promise<Job> => (await this.get<Job>(`/api/training/${jobId}/status`)).body

  /** Polls the status until `reached` is true. */
  until = (jobId: string, reached: (job: Job) => boolean, seconds = 90): Promise<Job> =>
    eventually(() => this.status(jobId), reached, { within: patient(seconds), every: 100 })

  ended = (jobId: string, seconds = 90) =>
    this.until(jobId, (job) => ['completed', 'failed', 'stopped'].includes(job.status), seconds)

  studyEnded = (studyId: string, seconds = 280): Promise<Study> => {
    const study = async () => (await this.get<Study>(`/api/studies/${studyId}`)).body
    return eventually(study, ({ status }) => status !== 'running', { within: patient(seconds), every: 250 })
  }

  /** All messages until the server closes the socket, and the close code. */
  listen = (jobId: string, query = ''): Promise<{ messages: JobMessage[]; code: number }> =>
    new Promise((done, fail) => {
      const socket = new WebSocket(`${this.url.replace(/^http/, 'ws')}/ws/training/${jobId}${query}`)
      const messages: JobMessage[] = []
      socket.on('message', (data) => messages.push(JSON.parse(String(data))))
      socket.on('error', fail)
      socket.on('close', (code) => done({ messages, code }))
    })

  async #send<Body>(path: string, init: RequestInit): Promise<Answer<Body>> {
    // The service may close a connection that was idle for a long time at the moment of its reuse.
    const headers = new Headers(init.headers)
    headers.set('connection', 'close')
    const response = await fetch(this.url + path, { ...init, headers })
    const text = await response.text()
    const json = (response.headers.get('content-type') ?? '').includes('json')
    const body = json ? JSON.parse(text) : text
    if (this.declares) refuseUndeclared(init.method ?? 'GET', path, response.status, body)
    return {
      status: response.status,
      body: body as Body,
      headers: response.headers,
    }
  }
}

/**
 * A response that violates openapi.json, or an undeclared error, fails the test: clients are generated from these
 * declarations.
 */
function refuseUndeclared(method: string, address: string, status: number, body: unknown): void {
  const { code, request_id } = (body ?? {}) as { code?: unknown; request_id?: unknown }
  if (code === 'ROUTE_NOT_FOUND') return
  const declared = declaredResponse(method, address, status)
  if (!declared) return
  if (typeof request_id === 'string' && !declared.errors.includes(code))
    throw new Error(`${declared.name} gave ${code}, which it does not declare`)
  const problems = declared.problems(body)
  if (problems.length > 0)
    throw new Error(
      `${declared.name} gave ${status}, and not as declared: ${problems.slice(0, 5).join('; ')}`,
    )
}
