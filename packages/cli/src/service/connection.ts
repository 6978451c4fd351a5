import { readFileSync } from 'node:fs'
import { MedloomClient } from '@medloom/client/node'
import { UsageError } from '../exit-codes.js'
import { fromCurrentFolder, terminal } from '../terminal/terminal.js'

export interface ConnectionOptions {
  readonly url?: string
  readonly tokenFile?: string
}

/** A client for the service that flags and environment select. */
export function connect(options: ConnectionOptions, env: NodeJS.ProcessEnv = terminal().env): MedloomClient {
  const baseUrl = serviceUrl(options, env)
  const token = tokenOf(options, env)
  return new MedloomClient({ baseUrl, ...(token ? { token } : {}) })
}

/**
 * The flag takes precedence over the environment, and there the token over a file with one. The token itself cannot be a flag: other users
 * can see the arguments of a process.
 */
function tokenOf({ tokenFile }: ConnectionOptions, env: NodeJS.ProcessEnv): string | undefined {
  if (tokenFile !== undefined) return readToken(tokenFile)
  return env.MEDLOOM_TOKEN || (env.MEDLOOM_TOKEN_FILE && readToken(env.MEDLOOM_TOKEN_FILE)) || undefined
}

export function serviceUrl(options: ConnectionOptions, env: NodeJS.ProcessEnv = terminal().env): string {
  const url = options.url ?? env.MEDLOOM_URL ?? `http://127.0.0.1:${env.MEDLOOM_PORT || 8000}`
  if (!/^https?:\/\/[^/]/.test(url))
    throw new UsageError(
      `"${url}" is not the address of a service.`,
      'An address has the form http://127.0.0.1:8000.',
    )
  return url
}

function readToken(file: string): string {
  try {
    return readFileSync(fromCurrentFolder(file), 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `The token file cannot be read: ${reason}`,
      'Correct --token-file or MEDLOOM_TOKEN_FILE.',
    )
  }
}
