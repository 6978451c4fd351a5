import { LIMITS, phrase, type Session } from '@medloom/contracts'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import type { HandlersOf } from '../http/bind.js'
import type { Actor } from '../security/actor.js'
import { AddressLimit } from '../security/address-limit.js'
import type { Authentication } from '../security/authentication.js'
import { credentialsOf } from '../security/credentials.js'
import { sessionCookie, sessionOf } from '../security/session.js'

/** Called for logins, with their actor, and for refusals. */
export interface LoginListener {
  loggedIn(request: FastifyRequest, actor: Actor): Promise<void>
  refused(request: FastifyRequest, error: AppError): void
}

/** Login and logout of browsers. If no token is required, everybody counts as logged in. */
export function sessionRoutes(
  authentication: Authentication,
  listener?: LoginListener,
): HandlersOf<'session'> {
  const failed = new AddressLimit(LIMITS.failed_logins_per_minute)
  const session = async (actor: Actor | null): Promise<Session> => ({
    token_required: await authentication.isRequired(),
    authenticated: actor !== null,
    user: actor?.user ?? null,
    role: actor?.role ?? null,
    identifiers: actor?.identifiers ?? false,
    token_id: actor?.token_id ?? null,
  })
  const nobody = async () =>
    session((await authentication.actorOf({ token: undefined, session: undefined }))?.[0] ?? null)
  const refuse = (request: FastifyRequest, error: AppError) => {
    listener?.refused(request, error)
    return error
  }
  return {
    getSession: async ({ reply: { request } }) =>
      session((await authentication.actorOf(credentialsOf(request)))?.[0] ?? null),
    async login({ body, reply }) {
      if (!(await authentication.isRequired())) return nobody()
      const { request } = reply
      if (failed.isLimited(request.ip))
        throw refuse(request, new AppError('LOGIN_LIMITED', phrase('failed_logins')))
      const login = await authentication.logIn(body.token)
      if (!login) {
        failed.add(request.ip)
        throw refuse(request, new AppError('LOGIN_FAILED', phrase('token_invalid')))
      }
      await listener?.loggedIn(request, login.actor)
      reply.header('set-cookie', sessionCookie(login.session, { secure: isSecure(request) }))
      return session(login.actor)
    },
    async logout({ reply }) {
      const { request } = reply
      const given = sessionOf(request.headers.cookie)
      if (given !== undefined) await authentication.logOut(given)
      reply.header('set-cookie', sessionCookie(null, { secure: isSecure(request) }))
      return nobody()
    },
  }
}

/** Returns true if the browser uses https, to a proxy in front of the service: according to the origin of its page, or a trusted proxy. */
function isSecure({ headers, protocol }: FastifyRequest): boolean {
  return headers.origin?.startsWith('https:') === true || protocol === 'https'
}
