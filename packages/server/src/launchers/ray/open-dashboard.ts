import { isIP } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { RayHttp } from './ray-http.js'

/** Anyone who reaches the dashboard can run programs on every node. */
export const OPEN_DASHBOARD = {
  message: 'the Ray cluster is not protected: anybody who reaches its dashboard can submit jobs',
  remedy: 'Start Ray with RAY_AUTH_MODE=token on every node, and set the token with --ray-token-file.',
} as const

const ANSWER_MILLISECONDS = 5000

/** Returns true if the dashboard answers without a token on an address that is not loopback. False if it does not answer at all. */
export async function isOpenDashboard(address: string): Promise<boolean> {
  const { hostname } = new URL(address)
  if (isLoopback(hostname)) return false
  const http = new RayHttp({ address, tokenFile: null })
  try {
    return (await http.request('GET', '/api/version', ANSWER_MILLISECONDS)).status === 200
  } catch {
    return false
  } finally {
    http.close()
  }
}

export async function warnOfOpenDashboard(
  address: string,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<void> {
  if (await isOpenDashboard(address))
    log.warn({ address, remedy: OPEN_DASHBOARD.remedy }, OPEN_DASHBOARD.message)
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
