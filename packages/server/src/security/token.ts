import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { StartError } from '../errors.js'
import type { Settings } from '../settings.js'
import { isLoopback } from './hosts.js'

const MIN_CHARACTERS = 16

/**
 * The token of the service, which grants the role of an administrator; null without a file.
 * @throws StartError when the file is unusable, and if no user can have a token although other machines reach the service.
 */
export function readToken(
  settings: Pick<Settings, 'host' | 'dataDir' | 'databaseUrl' | 'tokenFile'>,
): string | null {
  if (settings.tokenFile === null) {
    // A folder that does not exist contains no user tokens either.
    if (!settings.databaseUrl && !existsSync(settings.dataDir)) refuseOpen(settings, false)
    return null
  }
  let text: string
  try {
    text = readFileSync(settings.tokenFile, 'utf8').trim()
  } catch (error) {
    throw new StartError(
      `the token file cannot be read: ${(error as Error).message}`,
      'Write a long random token to the file, for example with openssl rand -hex 32.',
    )
  }
  if (!/^[\x21-\x7e]+$/.test(text) || text.length < MIN_CHARACTERS)
    throw new StartError(
      `the token file must contain one line of at least ${MIN_CHARACTERS} printable characters without spaces`,
      'Write a long random token to the file, for example with openssl rand -hex 32.',
    )
  return text
}

/** @throws StartError when the service would listen beyond this machine without requiring a token. */
export function refuseOpen({ host }: Pick<Settings, 'host'>, asksForToken: boolean): void {
  if (asksForToken || isLoopback(host)) return
  throw new StartError(
    `${host} can be reached from other machines, and no token is set`,
    'Set --token-file, or listen on 127.0.0.1.',
  )
}

/** Compares in constant time. */
export function sameToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
