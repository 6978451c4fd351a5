import { useEffect, useState } from 'react'
import { connection, useConnection } from '../../app/connection'
import { invalidateCoalesced } from '../../app/invalidate-coalesced'
import { RECONNECT_FOREVER, service } from '../../app/service'
import { RunStates } from './run-states'

/** Live states of the latest run. The client restores lost connections and follows a restarted service again. */
export function useRunStates(workflowId: string): RunStates {
  const [runs] = useState(() => new RunStates())
  const connected = useConnection() === 'connected'
  useEffect(() => {
    if (!connected) return
    const controller = new AbortController()
    void follow(workflowId, runs, controller.signal)
    return () => controller.abort()
  }, [workflowId, runs, connected])
  return runs
}

async function follow(workflowId: string, runs: RunStates, signal: AbortSignal): Promise<void> {
  try {
    for await (const message of service.watchWorkflow(workflowId, { signal, ...RECONNECT_FOREVER })) {
      runs.apply(message)
      if (message.type === 'run_status')
        invalidateCoalesced('listWorkflowRuns', 'listWorkflows', 'planWorkflow')
    }
  } catch {
    if (!signal.aborted) connection.probe()
  }
}
