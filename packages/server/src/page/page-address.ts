import type { IncomingMessage } from 'node:http'

/** Addresses that the service answers itself; the page uses none of them. */
const OTHERS = /^\/(\/|(api|ws|docs|openapi\.json|metrics|assets)(?=[/?]|$))/

/**
 * Returns true if a request is for the page: `/` always; any other address only when a browser opens it, which accepts HTML explicitly. The
 * page has its own addresses, such as /runs/ID, so this decides by exclusion.
 */
export function isPageRequest({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  if (headers.upgrade !== undefined) return false
  if (/^\/(\?|$)/.test(url)) return true
  return !OTHERS.test(url) && /\btext\/html\b/i.test(headers.accept ?? '')
}
