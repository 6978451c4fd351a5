import { useEffect, useState } from 'react'
import { changedSoon } from '../../app/changed-soon'
import { connection, useConnection } from '../../app/connection'
import { STAYING, service } from '../../app/service'
import { RunStates } from './run-states'

/** Live states of the latest run. The client restores lost connections and follows a restarted service again. */
export function useRuns(workflowId: string): RunStates {
  const [runs] = useState(() => new RunStates())
  const connected = useConnection() === 'connected'
  useEffect(() => {
    if (!connected) return
    const leave = new AbortController()
    void follow(workflowId, runs, leave.signal)
    return () => leave.abort()
  }, [workflowId, runs, connected])
  return runs
}

async function follow(workflowId: string, runs: RunStates, signal: AbortSignal): Promise<void> {
  try {
    for await (const message of service.watchWorkflow(workflowId, { signal, ...STAYING })) {
      runs.apply(message)
      if (message.type === 'run_status') changedSoon('listWorkflowRuns', 'listWorkflows', 'planWorkflow')
    }
  } catch {
    if (!signal.aborted) connection.probe()
  }
}
