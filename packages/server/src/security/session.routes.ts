import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.js'
import type { HandlersOf } from '../http/bind.js'
import { credentialOf } from './credentials.js'
import { FailedLogins } from './failed-logins.js'
import { newSession, sessionCookie } from './session.js'
import { sameToken } from './token.js'

/** @param token null: none is required, and everybody counts as logged in. */
export function sessionRoutes(token: string | null): HandlersOf<'session'> {
  const failed = new FailedLogins()
  return {
    getSession: ({ reply: { request } }) => ({
      token_required: token !== null,
      authenticated: token === null || credentialOf(request, token) !== null,
    }),
    login({ body, reply }) {
      if (token === null) return { token_required: false, authenticated: true }
      const { request } = reply
      if (failed.isLimited(request.ip))
        throw new AppError('LOGIN_LIMITED', 'too many logins from this address have failed')
      if (!sameToken(body.token, token)) {
        failed.add(request.ip)
        throw new AppError('LOGIN_FAILED', 'this is not the token of the service')
      }
      reply.header('set-cookie', sessionCookie(newSession(token), { secure: isSecure(request) }))
      return { token_required: true, authenticated: true }
    },
    logout({ reply }) {
      reply.header('set-cookie', sessionCookie(null, { secure: isSecure(reply.request) }))
      return { token_required: token !== null, authenticated: token === null }
    },
  }
}

/** Whether the browser came by https, to a proxy before the service: its page's origin says so, or the proxy does. */
function isSecure({ headers }: FastifyRequest): boolean {
  return headers.origin?.startsWith('https:') === true || headers['x-forwarded-proto'] === 'https'
}
