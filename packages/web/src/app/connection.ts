import { useSyncExternalStore } from 'react'

/** What the page knows of its connection: told within two seconds after it is lost, healed without a reload. */
export type ConnectionState = 'connected' | 'lost' | 'unauthorized'

const PROBE_MILLISECONDS = 1_000

let state: ConnectionState = 'connected'
let probe: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export const connection = {
  /** The service answered. */
  answered: (status: number) => become(status === 401 ? 'unauthorized' : 'connected'),
  /** Nothing answered. */
  lost,
  /** A socket closed, or an answer is late: ask whether the service is still there. */
  doubt: () => void ask(),
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
  become('lost')
  clearTimeout(probe)
  probe = setTimeout(() => void ask(), PROBE_MILLISECONDS)
}

async function ask(): Promise<void> {
  try {
    const { status } = await fetch('/api/system/health', { signal: AbortSignal.timeout(2_000) })
    connection.answered(status)
  } catch {
    lost()
  }
}
