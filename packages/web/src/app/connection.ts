import { useSyncExternalStore } from 'react'
import {
  PROBE_RETRY_MILLISECONDS,
  PROBE_TIMEOUT_MILLISECONDS,
  SILENCE_CHECK_MILLISECONDS,
  SILENCE_MILLISECONDS,
} from '../durations'

/** State of the connection to the service. A loss is detected within seconds; recovery needs no page reload. */
export type ConnectionState = 'connected' | 'lost' | 'unauthorized'

let state: ConnectionState = 'connected'
let retry: ReturnType<typeof setTimeout> | undefined
let lastMessageAt = performance.now()
let isProbing = false
let logins = 0
const listeners = new Set<() => void>()

export const connection = {
  /** Call before a request; call the result with the response status. Responses to requests sent before a login are ignored. */
  trackRequest(): (status: number) => void {
    const before = logins
    return (status) => {
      connection.recordMessage()
      // Some responses need no authentication, and some arrive late: only a login ends the wait for one.
      if (state === 'unauthorized' || before !== logins) return
      setState(status === 401 ? 'unauthorized' : 'connected')
    }
  },
  recordLogin(): void {
    logins += 1
    setState('connected')
  },
  /** Records a message that the service sent without a request. */
  recordMessage(): void {
    lastMessageAt = performance.now()
  },
  /** Records that the service did not respond. */
  recordLoss,
  /** Probes the service after a socket has closed or a response is late. */
  probe: () => void sendProbe(),
  /** Probes the service whenever it is silent and the page is visible. Returns a function that stops the watch. */
  watch(): () => void {
    const timer = setInterval(() => {
      const isQuiet = performance.now() - lastMessageAt >= SILENCE_MILLISECONDS
      if (isQuiet && state === 'connected' && document.visibilityState === 'visible') void sendProbe()
    }, SILENCE_CHECK_MILLISECONDS)
    return () => clearInterval(timer)
  },
  state: () => state,
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

export function useConnection(): ConnectionState {
  return useSyncExternalStore(connection.subscribe, connection.state)
}

function setState(next: ConnectionState): void {
  if (next !== 'lost') clearTimeout(retry)
  if (next === state) return
  state = next
  for (const listener of listeners) listener()
}

function recordLoss(): void {
  // The login form itself reports that the service does not respond.
  if (state === 'unauthorized') return
  setState('lost')
  clearTimeout(retry)
  retry = setTimeout(() => void sendProbe(), PROBE_RETRY_MILLISECONDS)
}

async function sendProbe(): Promise<void> {
  if (isProbing) return
  isProbing = true
  const reportStatus = connection.trackRequest()
  try {
    const response = await fetch('/api/system/health', {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MILLISECONDS),
    })
    reportStatus(response.status)
    // An unread body would hold its connection until the response timeout.
    void response.body?.cancel()
  } catch {
    recordLoss()
  } finally {
    isProbing = false
  }
}
