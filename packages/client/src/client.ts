import type {
  BackgroundRoute,
  BackgroundTask,
  JobMessage,
  RouteName,
  RouteResponse,
  ServiceMessage,
  StudyMessage,
  Upload,
  WorkflowMessage,
} from '@medloom/contracts'
import {
  type BytesRoute,
  type CallInput,
  type CallOptions,
  composeRequest,
  type Download,
  SLOW_ROUTES,
} from './call.js'
import { RESPONSE_SECONDS } from './durations.js'
import { clientError, errorFromResponse, type MedloomError, reasonOf } from './errors.js'
import type { RouteMethods } from './methods.js'
import type { ReconnectOptions } from './reconnect.js'
import { repeatWithKey } from './repeat.js'
import { type PlainRoute, ROUTES } from './routes.js'
import type { IncrementalDigest } from './sha256.js'
import {
  fetchStream,
  fetchTransport,
  type OpenSocket,
  openGlobalSocket,
  type Socket,
  type StreamTransport,
  type Transport,
  type TransportRequest,
} from './transport.js'
import { type UploadOptions, uploadFile } from './upload.js'
import { type WatchOptions, watchJob } from './watch.js'
import { watchService } from './watch-service.js'
import { watchStudy } from './watch-study.js'
import { type WatchWorkflowOptions, watchWorkflow } from './watch-workflow.js'

export interface ClientOptions {
  /** Address of the service, for example http://127.0.0.1:8000. */
  readonly baseUrl: string
  readonly token?: string
  /** Response timeout in seconds; routes that wait for work have longer timeouts of their own. Default 30. */
  readonly timeoutSeconds?: number
  readonly transport?: Transport
  readonly openStream?: StreamTransport
  readonly openSocket?: OpenSocket
  /** Creates the SHA-256 digest of an uploaded file; absent: computed in JavaScript. */
  readonly createDigest?: () => IncrementalDigest
}

type Call = (name: RouteName, input: object, options?: CallOptions) => Promise<unknown>

/** The methods of methods.ts, one per route of the table. */
const RouteCalls = class {
  constructor(call: Call) {
    for (const name of Object.keys(ROUTES) as RouteName[])
      Object.defineProperty(this, name, {
        value: (input: object = {}, options?: CallOptions) => call(name, input, options),
      })
  }
} as unknown as new (
  call: Call,
) => RouteMethods

/**
 * A typed client of the service: one method per route (`client.startTraining({ config })`), `watch`, `watchStudy` and
 * `watchWorkflow`.
 * An error response is thrown as MedloomError.
 */
export class MedloomClient extends RouteCalls {
  readonly baseUrl: string
  readonly createDigest: ClientOptions['createDigest']
  readonly #options: ClientOptions
  readonly #headers: Record<string, string>

  constructor(options: ClientOptions) {
    super((name, input, callOptions) => this.#call(name, input, callOptions))
    this.#options = options
    this.createDigest = options.createDigest
    this.baseUrl = options.baseUrl.replace(/\/+$/, '')
    this.#headers = options.token ? { authorization: `Bearer ${options.token}` } : {}
  }

  /**
   * Calls a route by its name; the method of that name does the same.
   *
   * @throws MedloomError UNREACHABLE, TIMEOUT, ABORTED, INVALID_RESPONSE, or a code of the route
   * @example await client.call('getJobStatus', { job_id })
   */
  async call<N extends RouteName>(
    name: N,
    input: CallInput<N>,
    options: CallOptions = {},
  ): Promise<RouteResponse<N>> {
    return (await this.#call(name, input, options)) as RouteResponse<N>
  }

  /** Not typed by route: the union of all route inputs is too large for the compiler. */
  async #call(name: RouteName, input: object, options: CallOptions = {}): Promise<unknown> {
    const send = () => this.#callOnce(name, input, options)
    const { idempotent }: PlainRoute = ROUTES[name]
    return idempotent ? repeatWithKey(send, options) : send()
  }

  async #callOnce(name: RouteName, input: object, options: CallOptions): Promise<unknown> {
    const { gives }: PlainRoute = ROUTES[name]
    const transport = this.#options.transport ?? fetchTransport
    const response = await this.#request(name, input, options, (request) => transport(request))
    if (response.status === 200 && gives) return response.bytes
    const parsed = parse(new TextDecoder().decode(response.bytes))
    if (![200, 202].includes(response.status) || parsed === undefined)
      throw errorFromResponse(response.status, parsed)
    return parsed
  }

  /**
   * Downloads a file as a stream, whatever its size: the timeout applies only until the response starts.
   *
   * @throws MedloomError like `call`, before the first piece; a later failure is thrown where the pieces are read
   * @example const { pieces } = await client.download('getJobFile', { job_id, path })
   */
  async download<N extends BytesRoute>(
    name: N,
    input: CallInput<N>,
    options: CallOptions = {},
  ): Promise<Download> {
    const openStream = this.#options.openStream ?? fetchStream
    const { status, sizeBytes, body } = await this.#request(name, input, options, (request) =>
      openStream(request),
    )
    if (status === 200) return { sizeBytes, pieces: body }
    throw errorFromResponse(status, parse(await textOf(body)))
  }

  /** Sends the request of a route and waits for the result of `send` until the timeout. */
  async #request<Response>(
    name: RouteName,
    input: object,
    options: CallOptions,
    send: (request: TransportRequest) => Promise<Response>,
  ): Promise<Response> {
    const { takes }: PlainRoute = ROUTES[name]
    const { method, path, body } = composeRequest(name, { ...input })
    const seconds =
      options.timeoutSeconds ?? SLOW_ROUTES[name] ?? this.#options.timeoutSeconds ?? RESPONSE_SECONDS
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new DOMException('too late', 'TimeoutError')), seconds * 1000)
    const signal = options.signal ? AbortSignal.any([options.signal, late.signal]) : late.signal
    const headers = {
      ...this.#headers,
      ...(body === undefined ? {} : { 'content-type': takes ?? 'application/json' }),
      ...(options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {}),
    }
    try {
      return await send({ method, url: this.baseUrl + path, headers, body, signal })
    } catch (cause) {
      if (options.signal?.aborted) throw aborted(options.signal)
      if (late.signal.aborted)
        throw clientError('TIMEOUT', `${name}: no response within ${seconds} seconds.`, { cause })
      throw unreachable(this.baseUrl, cause)
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Starts the work of a route in the background: the response is its task, see `getTask` and `cancelTask`. The result of a completed task is
   * the response of the route.
   *
   * @throws MedloomError QUEUE_FULL, or a code of any call
   * @example const { task_id } = await client.startTask('evaluateModel', { model_id })
   */
  async startTask<N extends BackgroundRoute>(
    name: N,
    input: CallInput<N>,
    options: CallOptions = {},
  ): Promise<BackgroundTask> {
    const short = { timeoutSeconds: this.#options.timeoutSeconds ?? 30, ...options }
    return (await this.#call(name, { ...input, wait: 'false' }, short)) as BackgroundTask
  }

  /**
   * Uploads a file to the service in pieces. A broken connection or a restart of the service costs one piece; uploading the same file again
   * continues an unfinished upload.
   *
   * @throws MedloomError FILE_EXISTS, UPLOAD_DIGEST, DISK_FULL, FILE_UNREADABLE, or UNREACHABLE if no response arrives for `retrySeconds`
   * @example const { path } = await client.uploadFile(file, { folder: 'study', path: file.name })
   */
  uploadFile(content: Blob, options: UploadOptions): Promise<Upload> {
    return uploadFile(this, content, options)
  }

  /**
   * Messages of a job until the terminal one. Survives restarts of the service and lost connections: it reconnects with growing pauses,
   * continues after the last message received, and returns no message twice.
   *
   * @throws MedloomError JOB_NOT_FOUND, or UNREACHABLE if no response arrives for `reconnectTimeoutSeconds`
   * @example for await (const message of client.watch(job_id)) console.log(message.type, message.epoch)
   */
  watch(jobId: string, options: WatchOptions = {}): AsyncGenerator<JobMessage, void, undefined> {
    return watchJob(this, jobId, (query) => this.#socket('training', jobId, query), options)
  }

  /**
   * Messages of a workflow: a snapshot, then every change, with a new snapshot after each lost connection. With `runId` it ends when that run
   * has ended; otherwise it follows one run after another until `signal` aborts.
   *
   * @throws MedloomError WORKFLOW_NOT_FOUND, or UNREACHABLE if no response arrives for `reconnectTimeoutSeconds`
   * @example for await (const message of client.watchWorkflow(workflow_id, { runId })) console.log(message.type)
   */
  watchWorkflow(
    workflowId: string,
    options: WatchWorkflowOptions = {},
  ): AsyncGenerator<WorkflowMessage, void, undefined> {
    return watchWorkflow(this, workflowId, () => this.#socket('workflow', workflowId), options)
  }

  /**
   * Messages of a study: a snapshot, then every change, with a new snapshot after each lost connection, until the terminal message.
   *
   * @throws MedloomError STUDY_NOT_FOUND, or UNREACHABLE if no response arrives for `reconnectTimeoutSeconds`
   * @example for await (const message of client.watchStudy(study_id)) console.log(message.type)
   */
  watchStudy(studyId: string, options: ReconnectOptions = {}): AsyncGenerator<StudyMessage, void, undefined> {
    return watchStudy(this, studyId, () => this.#socket('studies', studyId), options)
  }

  /**
   * Messages of the service: a snapshot, then every change of a job, run, study, model or dataset, and the resource usage, until `signal`
   * aborts. After a lost connection it continues where it was; if the service cannot, it sends a new snapshot.
   *
   * @throws MedloomError UNREACHABLE if no response arrives for `reconnectTimeoutSeconds`
   * @example for await (const message of client.watchService({ signal })) console.log(message.type)
   */
  watchService(options: ReconnectOptions = {}): AsyncGenerator<ServiceMessage, void, undefined> {
    return watchService(this, (query) => this.#socket('service', null, query), options)
  }

  #socket(kind: 'training' | 'studies' | 'workflow' | 'service', id: string | null, query = ''): Socket {
    const openSocket = this.#options.openSocket ?? openGlobalSocket
    const url = `${this.baseUrl.replace(/^http/, 'ws')}/ws/${kind}${id === null ? '' : `/${encodeURIComponent(id)}`}${query}`
    return openSocket(url, this.#headers)
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreachable(baseUrl: string, cause: unknown): MedloomError {
  return clientError('UNREACHABLE', `No service responds at ${baseUrl} (${reasonOf(cause)}).`, { cause })
}

function aborted(signal: AbortSignal): MedloomError {
  return clientError('ABORTED', 'The call was aborted.', { cause: signal.reason })
}
