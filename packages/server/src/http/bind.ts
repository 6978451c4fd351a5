import {
  check,
  ROUTES,
  type RouteDeclaration,
  type RouteName,
  type RouteRequest,
  type RouteResponse,
} from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'

/** What a domain gives for each of its routes: the checked request in, the body of a 200 out. */
export type Handler<N extends RouteName> = (
  request: RouteRequest<N> & { idempotencyKey: string | undefined },
) => RouteResponse<N> | Promise<RouteResponse<N>>

/** One handler per route; a missing one is a compile error. */
export type Handlers = { [N in RouteName]: Handler<N> }

/** Bind the whole route table. Requests are checked against the contracts before a handler sees them. */
export function bindRoutes(app: FastifyInstance, handlers: Handlers): void {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const route: RouteDeclaration = ROUTES[name]
    const handle = handlers[name] as Handler<RouteName>
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: async (request) => handle(checkRequest(route, request) as Parameters<typeof handle>[0]),
    })
  }
}

function checkRequest(route: RouteDeclaration, request: FastifyRequest): object {
  const body = request.body ?? (route.bodyRequired === false ? {} : undefined)
  const parts = [
    ['params', route.params, request.params],
    ['query', route.query, request.query],
    ['body', route.body, body],
  ] as const
  const values: Record<string, unknown> = { params: {}, query: {}, body: {} }
  for (const [part, schema, input] of parts) {
    if (!schema) continue
    const checked = check(schema, input)
    if (checked.ok) {
      values[part] = checked.value
      continue
    }
    const [first] = checked.issues
    const code = first && isConfigIssue(first.path) ? 'INVALID_CONFIG' : 'INVALID_REQUEST'
    const single = checked.issues.length === 1 ? first : undefined
    const known = single && ['UNKNOWN_FIELD', 'UNKNOWN_BACKBONE'].includes(single.code)
    throw new AppError(
      known ? (single.code as 'UNKNOWN_FIELD' | 'UNKNOWN_BACKBONE') : code,
      checked.issues
        .slice(0, 3)
        .map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))
        .join('; '),
      first?.hint,
      checked.issues,
    )
  }
  const key = request.headers['idempotency-key']
  return { ...values, idempotencyKey: typeof key === 'string' ? key.slice(0, 200) : undefined }
}

function isConfigIssue(path: string): boolean {
  return path === 'config' || path.startsWith('config.')
}
