import { isIP } from 'node:net'
import { hostname } from 'node:os'

/** Returns true for an address or name that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Returns true for the address of all interfaces, which is not an address at which others reach the machine. */
export function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/**
 * Returns true if a Host header names this service. A page that rebinds its own name to this machine sends that name, so unknown names are
 * refused. Outside loopback, a numeric address cannot have been rebound and is allowed.
 * @param allowed names under which a proxy reaches it.
 */
export function isKnownHost(
  header: string | undefined,
  bound: string,
  allowed: readonly string[] = [],
): boolean {
  const name = hostName(header)
  if (name === undefined) return false
  if (isLoopback(name) || name === bound.toLowerCase() || allowed.includes(name)) return true
  return !isLoopback(bound) && (isIP(name) !== 0 || name === hostname().toLowerCase())
}

/** Returns true if an Origin header matches the Host header exactly, including the port. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  try {
    const { protocol, host: from } = new URL(origin)
    if (protocol !== 'http:' && protocol !== 'https:') return false
    return from === new URL(`${protocol}//${host}`).host
  } catch {
    return false
  }
}

function hostName(header: string | undefined): string | undefined {
  if (header === undefined || !/^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(header)) return undefined
  return header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
}
