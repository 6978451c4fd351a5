import { createHash, randomBytes } from 'node:crypto'
import { TOKEN_PREFIX } from '@medloom/contracts'

/** 256 random bits: nobody guesses one, so a plain digest of it is enough to know it by. */
const BYTES = 32

export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(BYTES).toString('base64url')
}

/** The value of the cookie of a login. */
export function newSessionValue(): string {
  return randomBytes(BYTES).toString('base64url')
}

/** What is stored of a token, and of a login. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
