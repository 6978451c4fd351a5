import type { WorkflowMessage } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import type { RouteMethods } from './methods.js'
import { type ReconnectOptions, reconnecting } from './reconnect.js'
import { socketMessages } from './socket-messages.js'
import type { Socket } from './transport.js'

export interface WatchWorkflowOptions extends ReconnectOptions {
  /** Ends when this run has ended, or another has started; absent: follows one run after another until `signal` aborts. */
  readonly runId?: string
}

/**
 * 1. Read the socket until it closes: a snapshot, followed by changes. 2. If it delivered nothing, request the status over HTTP, which
 * is a snapshot too and distinguishes an unknown workflow from a lost service. 3. Pause and start again, with a new snapshot.
 */
export function watchWorkflow(
  routes: Pick<RouteMethods, 'getWorkflowStatus'>,
  workflowId: string,
  open: () => Socket,
  { runId, ...options }: WatchWorkflowOptions,
): AsyncGenerator<WorkflowMessage, void, undefined> {
  const { signal } = options
  const ended = (message: WorkflowMessage) => runId !== undefined && endsRun(message, runId)

  return reconnecting<WorkflowMessage>(options, async function* ({ contact, streaming }) {
    // A restarted service counts from zero, so each snapshot contains the current count.
    let last = -1
    for await (const message of socketMessages<WorkflowMessage>(open, signal)) {
      streaming()
      if (message.type !== 'snapshot' && message.seq <= last) continue
      last = message.seq
      yield message
      if (ended(message)) return true
    }
    if (signal?.aborted) return true
    if (last >= 0) return false

    const state = await routes.getWorkflowStatus({ workflow_id: workflowId }, signal ? { signal } : {})
    contact()
    const snapshot: WorkflowMessage = {
      type: 'snapshot',
      workflow_id: workflowId,
      seq: 0,
      timestamp: new Date().toISOString(),
      state,
    }
    yield snapshot
    return ended(snapshot)
  })
}

function endsRun(message: WorkflowMessage, runId: string): boolean {
  if (message.type === 'snapshot') {
    const { run_id, status } = message.state
    return run_id === runId ? isTerminal(status) : run_id !== null
  }
  return message.run_id !== runId || (message.type === 'run_status' && isTerminal(message.status))
}
