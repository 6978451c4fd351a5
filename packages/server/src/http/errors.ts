import {
  addressPattern,
  ERRORS,
  type ErrorBody,
  fieldsOf,
  phrase,
  ROUTES,
  type RouteDeclaration,
} from '@medloom/contracts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLost } from '../database/database-error.js'
import { AppError } from '../errors.js'
import { systemFault } from '../system-fault.js'
import { discardBody } from './discard-body.js'

/** Every error response has one body: error, code, details, request_id, and issues where there are several. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => respondNotFound(request, reply))
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isLeaving(error, request)) return sendToNobody('while sending the body', request, reply)
  // An error because the caller has disconnected is not a failure; a defect is logged nevertheless.
  if (error instanceof AppError && reply.raw.destroyed)
    return sendToNobody('before the response', request, reply)
  const known = error instanceof AppError ? error : fromFramework(error)
  // An unavailable database is logged once, not with each request.
  if (known.http >= 500 && known.code !== 'DATABASE_UNAVAILABLE')
    request.log.error({ err: error }, `${known.code}: ${known.message}`)
  if (known.code === 'PAYLOAD_TOO_LARGE' && discardBody(request.raw)) reply.removeHeader('connection')
  if (known.http === 429) reply.header('retry-after', '1')
  if (known.http === 401) reply.header('www-authenticate', 'Bearer realm="medloom"')
  return reply
    .code(known.http)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(known, request.id)))
}

/** Returns true if the client closed the connection before it had sent its whole body. */
function isLeaving(error: unknown, { raw }: FastifyRequest): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET' && !raw.complete
}

/** Nobody reads this response; it only ends the request. */
function sendToNobody(when: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.debug(`the client closed the connection ${when}`)
  return reply.code(400).send()
}

export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    ...fieldsOf('error', error.text),
    code: error.code,
    ...fieldsOf('details', error.remedy),
    request_id: requestId,
    ...(error.issues.length > 0 ? { issues: [...error.issues] } : {}),
  }
}

/**
 * An error reported by the framework is the client's. Anything else except a fault of the machine is a defect, whose text is only logged.
 */
function fromFramework(error: unknown): AppError {
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AppError('PAYLOAD_TOO_LARGE', { english: ERRORS.PAYLOAD_TOO_LARGE.meaning })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new AppError('INVALID_JSON', phrase('body_not_json_type'))
  if (code === 'FST_ERR_BAD_URL')
    return new AppError('INVALID_REQUEST', phrase('url_invalid'), phrase('percent_encode'))
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new AppError('ROUTE_NOT_FOUND', phrase('no_route'))
  if (code.startsWith('FST_') && statusCode < 500)
    return new AppError('INVALID_REQUEST', { english: (error as Error).message }, phrase('correct_request'))
  if (isLost(error))
    return new AppError('DATABASE_UNAVAILABLE', { english: ERRORS.DATABASE_UNAVAILABLE.meaning })
  return systemFault(error) ?? new AppError('INTERNAL', { english: ERRORS.INTERNAL.meaning })
}

const ADDRESSES = Object.values(ROUTES as Record<string, RouteDeclaration>).map(({ method, path }) => ({
  path,
  pattern: addressPattern(path),
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
}))

/** If both "/api/workflow/import" and "/api/workflow/{workflow_id}" match, the literal path determines the methods. */
function methodsAt(address: string): string[] {
  const matching = ADDRESSES.filter(({ pattern }) => pattern.test(address))
  const literal = matching.filter(({ path }) => !path.includes('{'))
  return (literal.length > 0 ? literal : matching).flatMap(({ methods }) => methods)
}

function respondNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? ''
  const methods = methodsAt(path)
  if (methods.length === 0)
    return sendError(new AppError('ROUTE_NOT_FOUND', phrase('no_route')), request, reply)
  reply.header('allow', [...methods, 'OPTIONS'].join(', '))
  if (request.method === 'OPTIONS') return reply.code(200).send()
  return sendError(
    new AppError(
      'ROUTE_NOT_FOUND',
      phrase('method_not_accepted', { method: request.method }),
      phrase('accepts_methods', { methods: methods.join(', ') }),
    ),
    request,
    reply,
  )
}
