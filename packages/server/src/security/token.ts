import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { StartError } from '../errors.js'
import type { Settings } from '../settings.js'
import { isLoopback } from './hosts.js'

const MIN_CHARACTERS = 16

/**
 * The token that requests must carry, or null when none is required.
 * @throws StartError when the service would listen beyond this machine without one, or the file is unusable.
 */
export function readToken(settings: Pick<Settings, 'host' | 'tokenFile'>): string | null {
  if (settings.tokenFile === null) {
    if (isLoopback(settings.host)) return null
    throw new StartError(
      `${settings.host} can be reached from other machines, and no token is set`,
      'Give --token-file, or listen on 127.0.0.1.',
    )
  }
  let text: string
  try {
    text = readFileSync(settings.tokenFile, 'utf8').trim()
  } catch (error) {
    throw new StartError(
      `the token file cannot be read: ${(error as Error).message}`,
      'Write a long random token into it: openssl rand -hex 32.',
    )
  }
  if (!/^[\x21-\x7e]+$/.test(text) || text.length < MIN_CHARACTERS)
    throw new StartError(
      `the token file must hold one line of at least ${MIN_CHARACTERS} printable characters without spaces`,
      'Write a long random token into it: openssl rand -hex 32.',
    )
  return text
}

/** Compares in constant time. */
export function sameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
