import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { fillPath, ROUTES, type RouteDeclaration, type RouteName } from '@medloom/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ROUTE_PROCESSES } from '../../http/route-processes.js'
import { lasts } from '../../http/work-in-flight.js'
import type { Forwarder } from './forwarder.js'
import { endIfIdle } from './idle-response.js'

/** Headers of a single connection, never forwarded (RFC 9110, 7.6.1), and headers about the path of a request. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'origin', 'authorization', 'cookie'],
])

/** Bind the routes of the controller: requests are forwarded to it unchanged. */
export function forwardRoutes(app: FastifyInstance, forwarder: Forwarder): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body)
    bind(scope, ({ takes }) => takes === undefined, forwarder)
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_: unknown, body: Readable) => body)
    bind(scope, ({ takes }) => takes !== undefined, forwarder)
  })
}

function bind(
  app: FastifyInstance,
  isMeant: (route: RouteDeclaration) => boolean,
  forwarder: Forwarder,
): void {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: RouteDeclaration = ROUTES[name]
    if (ROUTE_PROCESSES[name] !== 'controller' || !isMeant(route)) continue
    app.route({
      method: route.method,
      url: fillPath(route.path, (field, severalParts) => (severalParts ? '*' : `:${field}`)),
      config: { access: route.access, operation: name, lasts: lasts(route) },
      ...(route.bodyBytes ? { bodyLimit: route.bodyBytes } : {}),
      handler: (request, reply) => forward(request, reply, { route, forwarder }),
    })
  }
}

async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, forwarder }: { readonly route: RouteDeclaration; readonly forwarder: Forwarder },
): Promise<FastifyReply> {
  const abort = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort()
  })
  const { method, url, body } = request
  // Node.js sets the length of a buffered body again; a streamed one is sent in chunks.
  const { 'content-length': _, authorization, ...headers } = request.headers
  const judgedThere = route.access === 'attempt'
  const isRead = method === 'GET' || method === 'HEAD'
  const response = await forwarder.send(
    {
      method,
      path: url,
      headers: {
        ...forwardable(headers),
        ...(judgedThere ? { authorization } : {}),
        'x-request-id': request.id,
      },
      caller: { actor: request.actor, address: request.ip },
      body: (body ?? null) as Buffer | Readable | null,
      judgedThere,
      isRead,
      repeatable: isRead || (route.idempotent === true && headers['idempotency-key'] !== undefined),
    },
    abort.signal,
  )
  endIfIdle(response, reply.raw, forwarder.idleMilliseconds)
  return reply
    .code(response.statusCode ?? 502)
    .headers(forwardable(response.headers))
    .send(response)
}

function forwardable(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !name.startsWith('x-medloom-')),
  )
}
