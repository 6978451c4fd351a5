import type { RouteName, ServiceMessage, ServiceState } from '@medloom/contracts'
import { useEffect, useSyncExternalStore } from 'react'
import { changedSoon } from './changed-soon'
import { connection, useConnection } from './connection'
import { queries, read, STAYING, service } from './service'

/** Routes that list items of each kind. */
const SHOWN_BY = {
  job: ['listJobs', 'listJobTags'],
  run: ['listWorkflowRuns'],
  study: ['listStudies'],
  model: ['listModels', 'getModel', 'listModelEvaluations'],
  dataset: ['listDatasets', 'getDataset'],
} as const satisfies Record<string, readonly RouteName[]>

/** Routes that show one item and must report its removal. */
const SHOWN_ALONE_BY: Partial<Record<keyof typeof SHOWN_BY, RouteName>> = {
  job: 'getJobStatus',
  run: 'getWorkflowRun',
  study: 'getStudy',
}

/** Polling interval of lists without a WebSocket. */
const POLL_MILLISECONDS = 5_000

let live = false
const listeners = new Set<() => void>()

/** Follows the messages of the service while the page is open and logged in, so that lists update without polling. */
export function useLiveLists(): void {
  const connected = useConnection() === 'connected'
  useEffect(() => {
    if (!connected) return
    const leave = new AbortController()
    void follow(leave.signal)
    return () => leave.abort()
  }, [connected])
}

/** Polling interval of a list; false while messages arrive. */
export function useRefresh(): number | false {
  const following = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => live,
  )
  return following ? false : POLL_MILLISECONDS
}

async function follow(signal: AbortSignal): Promise<void> {
  const onConnection = (state: 'lost' | 'restored') => {
    if (state === 'lost') connection.probe()
    become(state === 'restored')
  }
  try {
    for await (const message of service.watchService({ signal, onConnection, ...STAYING })) {
      connection.recordMessage()
      become(true)
      note(message)
    }
  } catch {
    connection.probe()
  } finally {
    become(false)
  }
}

function note(message: ServiceMessage): void {
  const { queryKey } = read('getServiceState', {})
  if (message.type === 'usage')
    queries.setQueryData<ServiceState>(queryKey, (state) => state && { ...state, usage: message.usage })
  else if (message.type === 'snapshot') {
    queries.setQueryData<ServiceState>(queryKey, message.state)
    for (const names of Object.values(SHOWN_BY)) changedSoon(...names)
  } else if (message.type === 'removed') {
    const alone = SHOWN_ALONE_BY[message.kind]
    changedSoon(...SHOWN_BY[message.kind], ...(alone ? [alone] : []))
  } else changedSoon(...SHOWN_BY[message.type])
}

function become(next: boolean): void {
  if (next === live) return
  live = next
  for (const listener of listeners) listener()
}
