import type { BrowserContext } from 'playwright-core'

/** Browser messages about requests and sockets to a service that has ended; which of them appear depends on timing. */
export const SERVICE_ENDED = [
  /net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)/,
  /WebSocket connection to .* failed/,
]

/**
 * A report runs no scripts, and the browser reports those with which a test looks at it. That no report contains a script is checked by
 * the tests of reports and of their policy.
 */
const BLOCKED_IN_REPORT = /^Blocked script execution in '[^']*\/report\.html' because .* is sandboxed/

/**
 * Records events that a page must never cause, whatever a test examines: a request to another origin, a violation of the content security
 * policy, a console error, an uncaught error, or a page that is shown and then hidden while a part of it is loaded.
 */
export async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const problems: string[] = []
  const outside = (address: string) => {
    const { protocol, host } = new URL(address)
    const own = host === new URL(origin).host || ['data:', 'blob:', 'about:'].includes(protocol)
    if (!own) problems.push(`left the origin: ${address}`)
  }
  context.on('request', (request) => outside(request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => outside(socket.url())))
  context.on('console', (message) => {
    if (message.type() === 'error' && !BLOCKED_IN_REPORT.test(message.text()))
      problems.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error().stack ?? error.error()}`))
  await context.addInitScript(() => {
    // A sandboxed report runs no scripts, and a listener or an observer of its changes would be one.
    if (window.origin === 'null') return
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`content security policy: ${violatedDirective} ${blockedURI}`),
    )
    // React hides content behind its placeholder. A panel may wait, and so may the next page; a visible page must stay visible while it is open.
    const openedAt = new WeakMap<Node, string>()
    const first = location.pathname
    const changed = (changes: MutationRecord[]) => {
      for (const { target, addedNodes } of changes) {
        if ((target as Element).id === 'main')
          for (const node of addedNodes) openedAt.set(node, location.pathname)
        const isHidden =
          target.parentElement?.id === 'main' && (target as HTMLElement).style.display === 'none'
        if (isHidden && (openedAt.get(target) ?? first) === location.pathname)
          console.error('a page that was shown is hidden behind a placeholder')
      }
    }
    new MutationObserver(changed).observe(document, {
      subtree: true,
      childList: true,
      attributeFilter: ['style'],
    })
  })
  return problems
}
