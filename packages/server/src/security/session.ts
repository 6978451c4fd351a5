import { createHmac } from 'node:crypto'
import { LIMITS, SESSION_COOKIE } from '@medloom/contracts'
import { sameToken } from './token.js'

const COOKIE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([\\w.-]+)`)

/**
 * The value of the cookie: when it was given, and an HMAC of that under the token. So nothing is stored, a restart logs nobody out,
 * another token logs everybody out, and the token cannot be read from it.
 * @param now milliseconds
 */
export function newSession(token: string, now = Date.now()): string {
  const seconds = Math.floor(now / 1000)
  return `${seconds}.${sign(seconds, token)}`
}

/** Whether the value is one that this token has signed, and not older than its time. */
export function isSession(value: string | undefined, token: string, now = Date.now()): boolean {
  const [, given, signature] = /^(\d{1,12})\.([\w-]+)$/.exec(value ?? '') ?? []
  if (given === undefined || signature === undefined) return false
  const age = now / 1000 - Number(given)
  return sameToken(signature, sign(Number(given), token)) && age < LIMITS.session_seconds
}

/** The value in a Cookie header. */
export function sessionOf(header: string | undefined): string | undefined {
  return COOKIE.exec(header ?? '')?.[1]
}

/** A Set-Cookie header: no script reads the cookie, and no page of another site makes a browser send it. Without a value it is removed. */
export function sessionCookie(value: string | null, { secure }: { secure: boolean }): string {
  const age = value === null ? 0 : LIMITS.session_seconds
  return `${SESSION_COOKIE}=${value ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? '; Secure' : ''}`
}

function sign(seconds: number, token: string): string {
  return createHmac('sha256', token).update(`${SESSION_COOKIE} ${seconds}`).digest('base64url')
}
