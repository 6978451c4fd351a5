import { createHmac, randomBytes } from 'node:crypto'
import { LIMITS, SESSION_COOKIE } from '@medloom/contracts'
import { sameToken } from './token.js'

const COOKIE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([\\w.-]+)`)

/**
 * Seconds at which the cookie was issued, a random value that is unique per login (absent in cookies of earlier versions), and the
 * signature.
 */
const VALUE = /^((\d{1,12})(?:\.[\w-]{22})?)\.([\w-]+)$/

/**
 * The value of the cookie: its time of issue, a random number, and an HMAC of both under the token. A login therefore needs no row, a
 * restart ends no login, another token ends all logins, the token cannot be read from the cookie, and the logout of one login does not end
 * others.
 * @param now milliseconds
 */
export function newSession(token: string, now = Date.now()): string {
  const login = `${Math.floor(now / 1000)}.${randomBytes(16).toString('base64url')}`
  return `${login}.${sign(login, token)}`
}

/** Returns true if this token has signed the value and it has not expired. */
export function isSession(value: string | undefined, token: string, now = Date.now()): boolean {
  const [, login, given, signature] = VALUE.exec(value ?? '') ?? []
  if (login === undefined || signature === undefined) return false
  const age = now / 1000 - Number(given)
  return sameToken(signature, sign(login, token)) && age < LIMITS.session_seconds
}

/** The value in a Cookie header. */
export function sessionOf(header: string | undefined): string | undefined {
  return COOKIE.exec(header ?? '')?.[1]
}

/**
 * A Set-Cookie header: no script can read the cookie, and no page of another site can make a browser send it. Without a value it is
 * removed.
 */
export function sessionCookie(value: string | null, { secure }: { secure: boolean }): string {
  const age = value === null ? 0 : LIMITS.session_seconds
  return `${SESSION_COOKIE}=${value ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? '; Secure' : ''}`
}

function sign(login: string, token: string): string {
  return createHmac('sha256', token).update(`${SESSION_COOKIE} ${login}`).digest('base64url')
}
