import type { RouteName, ServiceMessage, ServiceState } from '@medloom/contracts'
import { useEffect, useSyncExternalStore } from 'react'
import { LIST_POLL_MILLISECONDS } from '../durations'
import { connection, useConnection } from './connection'
import { invalidateCoalesced } from './invalidate-coalesced'
import { queryClient, RECONNECT_FOREVER, routeQuery, service } from './service'

/** Routes that list items of each kind. */
const LIST_ROUTES = {
  job: ['listJobs', 'listJobTags'],
  run: ['listWorkflowRuns'],
  study: ['listStudies'],
  model: ['listModels', 'getModel', 'listModelEvaluations'],
  dataset: ['listDatasets', 'getDataset'],
} as const satisfies Record<string, readonly RouteName[]>

/** Routes that show one item and must report its removal. */
const ITEM_ROUTES: Partial<Record<keyof typeof LIST_ROUTES, RouteName>> = {
  job: 'getJobStatus',
  run: 'getWorkflowRun',
  study: 'getStudy',
}

let receivesMessages = false
const listeners = new Set<() => void>()

/** Follows the messages of the service while the page is open and logged in, so that lists update without polling. */
export function useLiveLists(): void {
  const connected = useConnection() === 'connected'
  useEffect(() => {
    if (!connected) return
    const controller = new AbortController()
    void follow(controller.signal)
    return () => controller.abort()
  }, [connected])
}

/** Polling interval of a list; false while messages arrive. */
export function useRefresh(): number | false {
  const isLive = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => receivesMessages,
  )
  return isLive ? false : LIST_POLL_MILLISECONDS
}

async function follow(signal: AbortSignal): Promise<void> {
  const onConnection = (state: 'lost' | 'restored') => {
    if (state === 'lost') connection.probe()
    setReceivesMessages(state === 'restored')
  }
  try {
    for await (const message of service.watchService({ signal, onConnection, ...RECONNECT_FOREVER })) {
      connection.recordMessage()
      setReceivesMessages(true)
      applyMessage(message)
    }
  } catch {
    connection.probe()
  } finally {
    setReceivesMessages(false)
  }
}

function applyMessage(message: ServiceMessage): void {
  const { queryKey } = routeQuery('getServiceState', {})
  if (message.type === 'usage')
    queryClient.setQueryData<ServiceState>(queryKey, (state) => state && { ...state, usage: message.usage })
  else if (message.type === 'snapshot') {
    queryClient.setQueryData<ServiceState>(queryKey, message.state)
    for (const names of Object.values(LIST_ROUTES)) invalidateCoalesced(...names)
  } else if (message.type === 'removed') {
    const itemRoute = ITEM_ROUTES[message.kind]
    invalidateCoalesced(...LIST_ROUTES[message.kind], ...(itemRoute ? [itemRoute] : []))
  } else invalidateCoalesced(...LIST_ROUTES[message.type])
}

function setReceivesMessages(next: boolean): void {
  if (next === receivesMessages) return
  receivesMessages = next
  for (const listener of listeners) listener()
}
