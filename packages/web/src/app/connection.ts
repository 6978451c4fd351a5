import { useSyncExternalStore } from 'react'

/** What the page knows of its connection: told within seconds after it is lost, healed without a reload. */
export type ConnectionState = 'connected' | 'lost' | 'unauthorized'

const PROBE_MILLISECONDS = 1_000
const ANSWER_MILLISECONDS = 2_000
/** Without a word for so long the service is asked: a process that hangs closes no socket, and refuses nothing. */
const QUIET_MILLISECONDS = 2_000
const LOOK_MILLISECONDS = 500

let state: ConnectionState = 'connected'
let probe: ReturnType<typeof setTimeout> | undefined
let heardAt = performance.now()
let asking = false
let logins = 0
const listeners = new Set<() => void>()

export const connection = {
  /** The service is asked; to be called with the status of its answer. What was asked before a login says nothing of who one is now. */
  asks(): (status: number) => void {
    const before = logins
    return (status) => {
      connection.heard()
      // Some answers need no login, and some are late: only a login ends the wait for one.
      if (state === 'unauthorized' || before !== logins) return
      become(status === 401 ? 'unauthorized' : 'connected')
    }
  },
  loggedIn(): void {
    logins += 1
    become('connected')
  },
  /** The service said something unasked. */
  heard(): void {
    heardAt = performance.now()
  },
  /** Nothing answered. */
  lost,
  /** A socket closed, or an answer is late: ask whether the service is still there. */
  doubt: () => void ask(),
  /** Asks whenever the service has been quiet, while somebody sees the page. Returns how to end it. */
  watch(): () => void {
    const timer = setInterval(() => {
      const isQuiet = performance.now() - heardAt >= QUIET_MILLISECONDS
      if (isQuiet && state === 'connected' && document.visibilityState === 'visible') void ask()
    }, LOOK_MILLISECONDS)
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

function become(next: ConnectionState): void {
  if (next !== 'lost') clearTimeout(probe)
  if (next === state) return
  state = next
  for (const listener of listeners) listener()
}

function lost(): void {
  // The form of the login says itself that nothing answers.
  if (state === 'unauthorized') return
  become('lost')
  clearTimeout(probe)
  probe = setTimeout(() => void ask(), PROBE_MILLISECONDS)
}

async function ask(): Promise<void> {
  if (asking) return
  asking = true
  const answered = connection.asks()
  try {
    const answer = await fetch('/api/system/health', { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) })
    answered(answer.status)
    // Unread it would keep its connection until the time for an answer is over.
    void answer.body?.cancel()
  } catch {
    lost()
  } finally {
    asking = false
  }
}
