import type { FastifyRequest } from 'fastify'
import { sessionOf } from './session.js'

export type CredentialsRequest = Pick<FastifyRequest, 'headers'> & {
  readonly ws?: boolean
  readonly query?: unknown
}

/** Credentials of a request: a token, as sent by programs, and the cookie of a login. */
export interface Credentials {
  readonly token: string | undefined
  readonly session: string | undefined
}

export function credentialsOf(request: CredentialsRequest): Credentials {
  return { token: givenToken(request), session: sessionOf(request.headers.cookie) }
}

/** Programs that cannot set a header on an upgrade may put the token into its query; only there is it accepted. */
function givenToken(request: CredentialsRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer !== undefined || request.ws !== true) return bearer
  const { token } = (request.query ?? {}) as { token?: unknown }
  return typeof token === 'string' ? token : undefined
}
