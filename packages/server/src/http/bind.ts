import {
  check,
  ROUTES,
  type RouteDeclaration,
  type RouteName,
  type RouteNamesOf,
  type RouteRequest,
  type RouteResponse,
} from '@medloom/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusal } from '../errors.js'
import type { Idempotency, Remember } from './idempotency/idempotency.js'

/** Handles a route: the checked request in, the body of a 200 out. */
export type Handler<N extends RouteName> = (
  request: RouteRequest<N> & {
    /** Called inside the transaction that does the work, with the response; see http/idempotency/. */
    readonly remember: Remember
    /** Aborted when the caller has left. One that gave an Idempotency-Key may come back for the response: it never counts as gone. */
    readonly signal: AbortSignal
  },
) => Response<N> | Promise<Response<N>>
type Response<N extends RouteName> = RouteResponse<N> | JsonText

/** A response that is JSON text already, sent byte for byte. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** One handler per route; a missing one is a compile error. */
export type Handlers = { [N in RouteName]: Handler<N> }

/** The handlers of one domain: its routes are those with this tag. */
export type HandlersOf<Tag extends RouteDeclaration['tag']> = Pick<Handlers, RouteNamesOf<Tag>>

/** Bind the whole route table. Requests are checked against the contracts before a handler sees them. */
export function bindRoutes(app: FastifyInstance, handlers: Handlers, idempotency: Idempotency): void {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: RouteDeclaration = ROUTES[name]
    const handle = handlers[name] as Handler<RouteName>
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...(route.bodyBytes ? { bodyLimit: route.bodyBytes } : {}),
      handler: async (request, reply) => {
        const checked = checkRequest(route, request)
        const key = route.idempotent ? request.headers['idempotency-key'] : undefined
        const signal = key === undefined ? callerOf(reply) : new AbortController().signal
        const response = await idempotency.once(
          name,
          typeof key === 'string' ? key : undefined,
          checked,
          (remember) =>
            Promise.resolve(handle({ ...checked, remember, signal } as Parameters<typeof handle>[0])),
        )
        if (!(response instanceof JsonText)) return response
        return reply.type('application/json; charset=utf-8').send(response.text)
      },
    })
  }
}

/** Aborted when the connection closes before the response has been sent. */
function callerOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort()
  })
  return left.signal
}

interface CheckedRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

function checkRequest(route: RouteDeclaration, request: FastifyRequest): CheckedRequest {
  // A body may be left out; a body of null is no object.
  const body = request.body === undefined && route.bodyRequired === false ? {} : request.body
  const parts = [
    ['params', route.params, request.params],
    ['query', route.query, request.query],
    ['body', route.body, body],
  ] as const
  const values = { params: {}, query: {}, body: {} } as Record<keyof CheckedRequest, unknown>
  for (const [part, schema, input] of parts) {
    if (!schema) continue
    const checked = check(schema, input)
    if (!checked.ok) throw refusal(checked.issues)
    values[part] = checked.value
  }
  return values
}
