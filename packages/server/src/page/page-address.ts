import type { IncomingMessage } from 'node:http'

/** What the service answers itself below these addresses; the page has none of them. */
const OTHERS = /^\/(\/|(api|ws|docs|openapi\.json|metrics|assets)(?=[/?]|$))/

/**
 * Whether a request asks for the page: `/` always; any other address only when a browser opens it, which accepts HTML by name. The
 * page has addresses of its own, such as /runs/ID, so this decides by exclusion.
 */
export function asksForPage({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  if (headers.upgrade !== undefined) return false
  if (/^\/(\?|$)/.test(url)) return true
  return !OTHERS.test(url) && /\btext\/html\b/i.test(headers.accept ?? '')
}
