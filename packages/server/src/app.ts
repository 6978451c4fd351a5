import { randomUUID } from 'node:crypto'
import { LIMITS, phrase } from '@medloom/contracts'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { after } from './concurrency/timer.js'
import type { ServiceContext } from './context.js'
import { CLOSE_CONNECTIONS_MILLISECONDS } from './durations.js'
import { bindRoutes, type Handlers, type HandlersOfAny } from './http/bind.js'
import { registerErrors, sendError } from './http/errors.js'
import { registerExpect } from './http/expect.js'
import { createIdempotency } from './http/idempotency/idempotency.js'
import { registerJsonBody } from './http/json-body.js'
import type { Metrics } from './http/metrics.js'
import { refuseRaw } from './http/raw-refusal.js'
import { registerRequestTarget } from './http/request-target.js'
import { registerWebSockets } from './http/websockets.js'
import { registerWorkInFlight } from './http/work-in-flight.js'
import { registerPage } from './page/page.js'
import type { AppPeople } from './people/index.js'
import { type GuardOptions, registerGuard } from './security/guard.js'
import type { InternalRequests } from './security/internal-requests.js'
import { registerDocs } from './system/docs.js'
import type { TasksService } from './tasks/tasks.service.js'

export interface AppOptions {
  readonly context: ServiceContext
  readonly metrics: Metrics
  readonly people: AppPeople
  /** Every route of the contracts, from all domains, except those of another process. */
  readonly handlers: Handlers | HandlersOfAny
  /** Checks requests that arrive through another process of the service. */
  readonly internal?: InternalRequests | null | undefined
  readonly admitAttempt?: GuardOptions['admitAttempt']
  /** Runs the work of routes that continue without their caller. */
  readonly tasks: Pick<TasksService, 'begin'>
  /** Each domain's WebSocket routes, and the forwarding to another process. */
  readonly sockets: readonly ((app: FastifyInstance) => void)[]
}

/** The HTTP application, not listening yet; it only connects the parts. */
export async function buildApp({
  context,
  metrics,
  people,
  internal,
  admitAttempt,
  handlers,
  tasks,
  sockets,
}: AppOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: LIMITS.body_bytes,
    return503OnClosing: false,
    requestTimeout: 60_000,
    // Only for data about the caller: the host name of a request is never read from a header that a page can set.
    trustProxy: [...(context.settings.trustedProxies ?? [])],
    genReqId: (request) => requestId(request.headers['x-request-id']),
    frameworkErrors: (error, request, reply) => {
      void sendError(error, request, reply)
    },
    clientErrorHandler: respondToMalformedRequest,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
  })
  registerErrors(app)
  registerJsonBody(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  logRequests(app)
  metrics.register(app)
  await registerWebSockets(app)
  // Registered after it, so that the connection of a refused upgrade is closed.
  registerRequestTarget(app)
  metrics.gauge('medloom_websockets', 'Open WebSocket connections', () => app.websocketServer.clients.size)
  // A running evaluation would delay the shutdown until it ends.
  app.addHook('preClose', () => context.pool.close())
  app.addHook('preClose', async () => closeLateConnections(app))
  const { host, allowedHosts, maxSockets } = context.settings
  registerGuard(app, { host, allowedHosts, internal, admitAttempt, ...people })
  registerWorkInFlight(app, { maxSockets: maxSockets ?? LIMITS.open_sockets })
  people.connections.register(app)
  registerExpect(app)
  await registerDocs(app)
  await registerPage(app)
  const idempotency = createIdempotency(context.database)
  bindRoutes(app, { handlers, idempotency, operations: people.operations, tasks })
  for (const register of sockets) register(app)
  return app
}

/** A client that does not read its response must not delay the shutdown. */
function closeLateConnections(app: FastifyInstance): void {
  after(CLOSE_CONNECTIONS_MILLISECONDS, () => app.server.closeAllConnections())
}

/** The id of the client, if it is short and plain, so that several logs contain the same id for a request. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
}

/** Logs the pattern of the route, never the address: no query, no token. Reads that succeed are logged at level debug. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const read = request.method === 'GET' && reply.statusCode < 400
    request.log[read ? 'debug' : 'info'](
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
  })
}

/** Malformed HTTP never reaches the router. */
function respondToMalformedRequest(
  error: Error & { code?: string },
  socket: import('node:net').Socket,
): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  refuseRaw(socket, {
    message: phrase('not_http'),
    details: phrase('correct_request_line'),
  })
}
