import { createHash, randomBytes } from 'node:crypto'
import { TOKEN_PREFIX } from '@medloom/contracts'

/** 256 random bits cannot be guessed, so an unsalted digest is sufficient to identify a secret. */
const BYTES = 32

export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(BYTES).toString('base64url')
}

/** The value of the cookie of a login. */
export function newSessionValue(): string {
  return randomBytes(BYTES).toString('base64url')
}

/** Stored digest of a token or of a login. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
