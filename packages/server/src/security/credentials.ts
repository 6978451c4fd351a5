import type { FastifyRequest } from 'fastify'
import { isSession, sessionOf } from './session.js'
import { sameToken } from './token.js'

/** What a request shows to be let in: the token itself, as a program does, or the cookie of a login. Null: neither is right. */
export function credentialOf(
  request: Pick<FastifyRequest, 'headers'> & { readonly ws?: boolean; readonly query?: unknown },
  token: string,
): 'token' | 'session' | null {
  if (sameToken(givenToken(request) ?? '', token)) return 'token'
  return isSession(sessionOf(request.headers.cookie), token) ? 'session' : null
}

/** Programs that cannot set a header on an upgrade may put the token into its query, and only there. */
function givenToken(request: Parameters<typeof credentialOf>[0]): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer !== undefined || request.ws !== true) return bearer
  const { token } = (request.query ?? {}) as { token?: unknown }
  return typeof token === 'string' ? token : undefined
}
