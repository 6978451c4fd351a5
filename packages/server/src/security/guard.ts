import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import { credentialOf } from './credentials.js'
import { isKnownHost, isSameOrigin } from './hosts.js'

export interface GuardOptions {
  /** The setting of the service. */
  readonly host: string
  readonly token: string | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no token: it shows the page, the interface or the state of a login, and no data of this service. */
    public?: true
  }
}

/** One guard in the router for requests and WebSocket upgrades alike, unknown addresses included. */
export function registerGuard(app: FastifyInstance, options: GuardOptions): void {
  app.addHook('onRequest', async (request) => admit(request, options))
  app.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!reply.hasHeader(name)) reply.header(name, value)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}

/**
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN (also `Origin: null`), UNAUTHORIZED.
 */
export function admit(
  request: Pick<FastifyRequest, 'headers' | 'method'> & {
    readonly ws?: boolean
    readonly query?: unknown
    readonly routeOptions?: { readonly config: { readonly public?: true } }
  },
  { host, token }: GuardOptions,
): void {
  const { host: named, origin } = request.headers
  if (!isKnownHost(named, host)) throw new AppError('FORBIDDEN_HOST', 'the Host header names another machine')
  if (origin !== undefined && !isSameOrigin(origin, named))
    throw new AppError('FORBIDDEN_ORIGIN', 'the request comes from a page of another origin')
  if (token === null || (request.routeOptions?.config.public === true && request.ws !== true)) return
  const credential = credentialOf(request, token)
  if (credential === null) throw new AppError('UNAUTHORIZED', 'this service requires a token')
  // A browser adds the cookie to whatever any page makes it send. It names the page where that could change or follow something.
  if (credential === 'session' && origin === undefined && (request.ws === true || !isRead(request)))
    throw new AppError('FORBIDDEN_ORIGIN', 'a request by the cookie of a login does not name its page')
}

function isRead({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Nothing is loaded from outside, nothing is framed, nothing is readable for other origins (no CORS header is ever sent). */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const
