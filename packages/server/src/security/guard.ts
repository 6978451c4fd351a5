import type { Readable } from 'node:stream'
import { type Access, allows, phrase, type Role } from '@medloom/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import type { Actor } from './actor.js'
import type { Authentication } from './authentication.js'
import { credentialsOf } from './credentials.js'
import { isKnownHost, isSameOrigin } from './hosts.js'
import { type RoutedRequest, readsIdentifiers } from './identifiers.js'
import type { Caller, InternalRequests } from './internal-requests.js'

export interface GuardOptions {
  /** The setting `host` of the service. */
  readonly host: string
  /** Names of the service in addition to those of its machine. */
  readonly allowedHosts?: readonly string[] | undefined
  readonly authentication: Authentication
  /** Checks requests that arrive through another process of the service, which has checked Host, Origin and token. */
  readonly internal?: InternalRequests | null | undefined
  /**
   * Rejects requests without the token of their attempt. Returns the job of the attempt; null: the token is there, and another process
   * checks it.
   */
  readonly admitAttempt?: ((request: GuardedRequest) => Promise<string | null>) | undefined
  /** Called for refused requests: because of a missing token or role, or because of Host or Origin. */
  readonly refused?: (request: FastifyRequest, error: AppError) => void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Access that the route requires; absent: an administrator. Addresses without a route require any token. */
    access?: Access
    /** The name of the route in the contracts. */
    operation?: string
  }
  interface FastifyRequest {
    /** Null on public routes, which identify nobody. */
    actor: Actor | null
    /** Job whose attempt shows its token; null if nothing has checked the token. */
    attemptOf: string | null
    /** Address of the caller, whichever process received the request. */
    callerAddress: string
  }
}

/** One guard in the router for requests and WebSocket upgrades alike, including unknown addresses. */
export function registerGuard(app: FastifyInstance, options: GuardOptions): void {
  app.decorateRequest('actor', null)
  app.decorateRequest('attemptOf', null)
  app.decorateRequest('callerAddress', '')
  app.addHook('onRequest', async (request) => {
    try {
      const forwarded = options.internal?.callerOf(request.raw)
      request.callerAddress = forwarded?.address ?? request.ip
      // Set before the caller may be refused, because the audit log contains the actor.
      const known = (actor: Actor) => {
        request.actor = actor
      }
      request.actor = forwarded
        ? admitForwarded(request, forwarded, known)
        : await admit(request, options, known)
      // Checked before the body is read.
      if (accessOf(request) === 'attempt') request.attemptOf = (await options.admitAttempt?.(request)) ?? null
    } catch (error) {
      if (error instanceof AppError && isRefusal(error)) options.refused?.(request, error)
      throw error
    }
  })
  const { internal } = options
  if (internal)
    app.addHook('preParsing', async (request, _reply, payload) =>
      internal.checkBody(request.raw, payload as Readable),
    )
  app.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!reply.hasHeader(name)) reply.header(name, value)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}

function isRefusal({ code, http }: AppError): boolean {
  return http === 401 || http === 403 || code === 'FORBIDDEN_HOST' || code === 'FORBIDDEN_ORIGIN'
}

export interface GuardedRequest extends Pick<FastifyRequest, 'headers' | 'method'>, RoutedRequest {
  readonly ws?: boolean
  readonly is404?: boolean
  readonly routeOptions?: { readonly config: { readonly access?: Access; readonly operation?: string } }
}

/**
 * @param known receives the actor before their permissions are checked.
 * @returns the actor; null on a public route.
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN (also `Origin: null`), UNAUTHORIZED, FORBIDDEN.
 */
export async function admit(
  request: GuardedRequest,
  { host, authentication, allowedHosts }: GuardOptions,
  known: (actor: Actor) => void = () => undefined,
): Promise<Actor | null> {
  const { host: named, origin } = request.headers
  if (!isKnownHost(named, host, allowedHosts))
    throw new AppError('FORBIDDEN_HOST', phrase('host_of_other_machine'))
  if (origin !== undefined && !isSameOrigin(origin, named))
    throw new AppError('FORBIDDEN_ORIGIN', phrase('page_of_other_origin'))
  const access = accessOf(request)
  // The token of an attempt does not identify an actor.
  if (access === 'public' || access === 'attempt') return null
  const shown = await authentication.actorOf(credentialsOf(request))
  if (shown === null) throw new AppError('UNAUTHORIZED', phrase('token_required'))
  const [actor, credential] = shown
  known(actor)
  // A browser adds the cookie to every request that any page causes. It names that page in requests that could change or follow something.
  if (credential === 'session' && origin === undefined && (request.ws === true || !isRead(request)))
    throw new AppError('FORBIDDEN_ORIGIN', phrase('cookie_without_origin'))
  return authorized(request, actor, access)
}

/** Another process of the service has checked Host, Origin and token; the role is checked for the route that is reached here. */
function admitForwarded(
  request: GuardedRequest,
  { actor }: Caller,
  known: (actor: Actor) => void,
): Actor | null {
  const access = accessOf(request)
  if (access === 'public' || access === 'attempt') return null
  if (actor === null) throw new AppError('UNAUTHORIZED', phrase('token_required'))
  known(actor)
  return authorized(request, actor, access)
}

/** @throws AppError FORBIDDEN */
function authorized(request: GuardedRequest, actor: Actor, access: Role): Actor {
  if (!allows(actor.role, access))
    throw new AppError('FORBIDDEN', phrase('role_required', { access, user: actor.user, role: actor.role }))
  if (!actor.identifiers && readsIdentifiers(request))
    throw new AppError(
      'FORBIDDEN',
      phrase('identifiers_not_permitted', { user: actor.user }),
      phrase('request_without_identifiers'),
    )
  return actor
}

/** Sockets are never public. */
function accessOf({ ws, is404, routeOptions }: GuardedRequest): Access {
  const access = routeOptions?.config.access ?? (is404 ? 'read' : 'admin')
  return ws === true && access === 'public' ? 'read' : access
}

function isRead({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Nothing is loaded from other hosts, nothing is framed, nothing is readable for other origins (no CORS header is ever sent). */
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
