import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { fillPath, ROUTES, type RouteDeclaration, type RouteName } from '@medloom/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Controller } from '../controllers.repository.js'
import { ROUTE_PLACES } from '../route-places.js'
import type { Forwarder } from './forwarder.js'

/** Of one connection, never passed on (RFC 9110, 7.6.1); and what says by which way a request came. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'origin', 'authorization', 'cookie'],
])

/** Shows a controller that a request comes from a process of its own, and who asked that process. */
export type ShowInternal = (request: FastifyRequest, controller: Controller) => Record<string, string>

/** Bind the routes that the controller carries out: they are sent to it as they come. */
export function forwardRoutes(app: FastifyInstance, forwarder: Forwarder, show: ShowInternal): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body)
    bind(scope, ({ takes }) => takes === undefined, forwarder, show)
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_: unknown, body: Readable) => body)
    bind(scope, ({ takes }) => takes !== undefined, forwarder, show)
  })
}

function bind(
  app: FastifyInstance,
  isMeant: (route: RouteDeclaration) => boolean,
  forwarder: Forwarder,
  show: ShowInternal,
): void {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: RouteDeclaration = ROUTES[name]
    if (ROUTE_PLACES[name] !== 'controller' || !isMeant(route)) continue
    app.route({
      method: route.method,
      url: fillPath(route.path, (field, severalParts) => (severalParts ? '*' : `:${field}`)),
      config: { access: route.access, operation: name },
      ...(route.bodyBytes ? { bodyLimit: route.bodyBytes } : {}),
      handler: (request, reply) => forward(request, reply, { route, forwarder, show }),
    })
  }
}

async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    route,
    forwarder,
    show,
  }: { readonly route: RouteDeclaration; readonly forwarder: Forwarder; readonly show: ShowInternal },
): Promise<FastifyReply> {
  const left = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) left.abort()
  })
  const { method, url, body, headers } = request
  // The token of an attempt is read by the controller, which has made it.
  const judgedThere = route.access === 'attempt'
  const isRead = method === 'GET' || method === 'HEAD'
  const response = await forwarder.send(
    {
      method,
      path: url,
      headersFor: (controller) => ({
        ...passedOn(headers),
        ...(judgedThere ? { authorization: headers.authorization } : {}),
        'x-request-id': request.id,
        ...show(request, controller),
      }),
      body: (body ?? null) as Buffer | Readable | null,
      judgedThere,
      isRead,
      repeatable: isRead || (route.idempotent === true && headers['idempotency-key'] !== undefined),
    },
    left.signal,
  )
  return reply
    .code(response.statusCode ?? 502)
    .headers(passedOn(response.headers))
    .send(response)
}

function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !name.startsWith('x-medloom-')),
  )
}
