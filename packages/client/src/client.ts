import {
  type JobMessage,
  ROUTES,
  type RouteName,
  type RouteResponse,
  type WorkflowMessage,
} from '@medloom/contracts'
import { errorFromResponse, MedloomError, unreachable } from './errors.js'
import { type CallInput, type CallOptions, composeRequest, type RouteMethods, SLOW_ROUTES } from './routes.js'
import {
  fetchTransport,
  type OpenSocket,
  openGlobalSocket,
  type Socket,
  type Transport,
} from './transport.js'
import { type WatchOptions, watchJob } from './watch.js'
import { type WatchWorkflowOptions, watchWorkflow } from './watch-workflow.js'

export interface ClientOptions {
  /** Address of the service, for example http://127.0.0.1:8000. */
  readonly baseUrl: string
  readonly token?: string
  /** Seconds that an answer may take; routes that wait for work have their own, longer times. Default 30. */
  readonly timeoutSeconds?: number
  readonly transport?: Transport
  readonly openSocket?: OpenSocket
}

const RouteCalls = class {
  constructor(call: (name: RouteName, input: object, options?: CallOptions) => Promise<unknown>) {
    for (const name of Object.keys(ROUTES) as RouteName[])
      Object.defineProperty(this, name, {
        value: (input: object = {}, options?: CallOptions) => call(name, input, options),
      })
  }
} as unknown as new (
  call: (name: RouteName, input: object, options?: CallOptions) => Promise<unknown>,
) => RouteMethods

/**
 * A typed client of the service: one method per route (`client.startTraining({ config })`), and `watch`.
 * An answer that is an error is thrown as MedloomError.
 */
export class MedloomClient extends RouteCalls {
  readonly baseUrl: string
  readonly #options: ClientOptions
  readonly #headers: Record<string, string>

  constructor(options: ClientOptions) {
    super((name, input, callOptions) => this.call(name, input as CallInput<typeof name>, callOptions))
    this.#options = options
    this.baseUrl = options.baseUrl.replace(/\/+$/, '')
    this.#headers = options.token ? { authorization: `Bearer ${options.token}` } : {}
  }

  /** Call a route by its name; `client.getJob(…)` and `client.call('getJob', …)` are the same. */
  async call<N extends RouteName>(
    name: N,
    input: CallInput<N>,
    options: CallOptions = {},
  ): Promise<RouteResponse<N>> {
    const { method, path, body } = composeRequest(name, input)
    const seconds = options.timeoutSeconds ?? SLOW_ROUTES[name] ?? this.#options.timeoutSeconds ?? 30
    const timeout = AbortSignal.timeout(seconds * 1000)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    const headers = {
      ...this.#headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {}),
    }
    const transport = this.#options.transport ?? fetchTransport
    const answer = await transport({ method, url: this.baseUrl + path, headers, body, signal }).catch(
      (error) => {
        if (options.signal?.aborted) throw aborted(options.signal)
        if (timeout.aborted) throw timedOut(name, seconds)
        throw unreachable(this.baseUrl, error)
      },
    )
    const parsed = parse(answer.text)
    if (answer.status !== 200) throw errorFromResponse(answer.status, parsed)
    if (parsed === undefined) throw errorFromResponse(200, undefined)
    return parsed as RouteResponse<N>
  }

  /**
   * The messages of a job, as they come, until the terminal one. Survives restarts of the service and lost connections:
   * connects again with growing pauses, continues after the last message seen, gives no message twice.
   * Throws MedloomError when the job is unknown, or when nobody answers for `reconnectTimeoutSeconds`.
   */
  watch(jobId: string, options: WatchOptions = {}): AsyncGenerator<JobMessage, void, undefined> {
    return watchJob(this, jobId, (query) => this.#socket('training', jobId, query), options)
  }

  /**
   * What happens to a workflow: a snapshot, then every change, with a new snapshot after each lost connection. With `runId` it ends
   * once that run has ended; without, it follows run after run until `signal` aborts. Throws MedloomError as `watch` does.
   */
  watchWorkflow(
    workflowId: string,
    options: WatchWorkflowOptions = {},
  ): AsyncGenerator<WorkflowMessage, void, undefined> {
    return watchWorkflow(this, workflowId, () => this.#socket('workflow', workflowId), options)
  }

  #socket(kind: 'training' | 'workflow', id: string, query = ''): Socket {
    const openSocket = this.#options.openSocket ?? openGlobalSocket
    const url = `${this.baseUrl.replace(/^http/, 'ws')}/ws/${kind}/${encodeURIComponent(id)}${query}`
    return openSocket(url, this.#headers)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function timedOut(name: RouteName, seconds: number): MedloomError {
  return new MedloomError(`${name}: no answer within ${seconds} seconds.`, {
    http: 0,
    code: 'TIMEOUT',
    details: 'The service may be busy; try again, or allow more time.',
  })
}

function aborted(signal: AbortSignal): MedloomError {
  return new MedloomError('The call was aborted.', {
    http: 0,
    code: 'ABORTED',
    details: 'The caller gave up waiting; the service may have acted all the same.',
    cause: signal.reason,
  })
}
