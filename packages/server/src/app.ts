import { randomUUID } from 'node:crypto'
import { LIMITS } from '@medloom/contracts'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { ServiceContext } from './context.js'
import { bindRoutes, type Handlers } from './http/bind.js'
import { registerErrors, sendError } from './http/errors.js'
import { createIdempotency } from './http/idempotency.js'
import { registerJsonBody } from './http/json-body.js'
import { registerWebSockets } from './http/websockets.js'
import { registerGuard } from './security/guard.js'
import { registerDocs } from './system/docs.js'
import type { Metrics } from './system/metrics.js'

/** From the beginning of the end until connections are cut that still have an answer under way. */
const ANSWER_MILLISECONDS = 4000

export interface AppParts {
  readonly context: ServiceContext
  readonly metrics: Metrics
  readonly token: string | null
  /** Every route of the contracts, gathered from the domains. */
  readonly handlers: Handlers
  /** Each domain's WebSocket routes. */
  readonly sockets: readonly ((app: FastifyInstance) => void)[]
}

/** The HTTP application, not listening yet: wiring only. */
export async function buildApp({
  context,
  metrics,
  token,
  handlers,
  sockets,
}: AppParts): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: LIMITS.body_bytes,
    return503OnClosing: false,
    requestTimeout: 60_000,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    frameworkErrors: (error, request, reply) => {
      void sendError(error, request, reply)
    },
    clientErrorHandler: answerBrokenRequest,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 200 },
  })
  registerErrors(app)
  registerJsonBody(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  logRequests(app)
  metrics.register(app)
  await registerWebSockets(app)
  metrics.gauge('medloom_websockets', 'Open WebSocket connections', () => app.websocketServer.clients.size)
  // An evaluation that runs would hold the end up for as long as it takes.
  app.addHook('preClose', () => context.pool.close())
  app.addHook('preClose', async () => cutOffLate(app))
  registerGuard(app, { host: context.settings.host, token })
  await registerDocs(app)
  bindRoutes(app, handlers, createIdempotency(context.database))
  for (const register of sockets) register(app)
  return app
}

/** Who does not take its answer does not hold up the end either. */
function cutOffLate(app: FastifyInstance): void {
  setTimeout(() => app.server.closeAllConnections(), ANSWER_MILLISECONDS).unref()
}

/** A caller's own id is kept when it is short and plain, so that one id follows a request through several logs. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
}

/** The pattern of the route, never the address: no query, no token, nothing a caller typed. Reads that succeed are no news. */
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

/** What is not HTTP at all never reaches the router. */
function answerBrokenRequest(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({
    error: 'the request is not well-formed HTTP, or its headers are too large',
    code: 'INVALID_REQUEST',
    details: 'Correct the request.',
    request_id: randomUUID(),
  })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
