import type { MedloomClient } from '@medloom/client/node'
import type { RunStatus, WorkflowStatus } from '@medloom/contracts'
import { EXIT } from '../exit-codes.js'
import { shortId } from '../terminal/format.js'
import { plainValues } from '../terminal/plain-values.js'
import { printJsonLine } from '../terminal/print.js'
import { styleFor } from '../terminal/style.js'
import { terminal } from '../terminal/terminal.js'
import { userTrace } from '../terminal/user-trace.js'
import type { ProgressStream } from './progress-view.js'
import { WorkflowView } from './workflow-view.js'

export interface FollowRunOptions {
  readonly json?: boolean
  readonly stream?: ProgressStream
}

/** Follow a run until it ends; Ctrl-C stops following, not the run. Returns the exit status of the command. */
export async function followRun(
  client: MedloomClient,
  workflowId: string,
  runId: string,
  { json = false, stream = terminal().stdout }: FollowRunOptions = {},
): Promise<number> {
  const view = new WorkflowView(stream)
  const interruption = new AbortController()
  const ignoreInterrupts = terminal().onInterrupt(() => interruption.abort())
  try {
    const messages = client.watchWorkflow(workflowId, {
      runId,
      signal: interruption.signal,
      onConnection: (state) => {
        if (!json) view.note(state === 'lost' ? 'Connection lost; reconnecting …' : 'Reconnected.')
      },
    })
    for await (const message of messages) {
      if (message.type !== 'snapshot' && message.run_id !== runId) continue
      if (message.type === 'snapshot' && message.state.run_id !== runId) continue
      if (json) printJsonLine(message)
      else view.show(plainValues(message))
    }
    if (interruption.signal.aborted) {
      view.end()
      terminal().stderr.write(`${howToContinue(workflowId)}\n`)
      return EXIT.interrupted
    }
    const state = await client.getWorkflowStatus({ workflow_id: workflowId, run_id: runId })
    if (!json) {
      view.end(state.status)
      for (const line of failures(plainValues(state))) terminal().stderr.write(`${line}\n`)
    }
    return exitOfRun(state.status)
  } finally {
    ignoreInterrupts()
    view.end()
  }
}

export function exitOfRun(status: RunStatus): number {
  if (status === 'success') return EXIT.ok
  return status === 'cancelled' ? EXIT.stopped : EXIT.failed
}

/** The error of every node that failed, with its trace. */
export function failures({ workflow_id, nodes }: Pick<WorkflowStatus, 'workflow_id' | 'nodes'>): string[] {
  const style = styleFor(terminal().stderr)
  const failed = Object.entries(nodes).flatMap(([id, { error }]) => {
    if (!error) return []
    const trace = userTrace(error.trace)
    return [`${style.red(`${id}: ${error.message}`)}${trace ? `\n${style.dim(trace)}` : ''}`]
  })
  if (failed.length === 0) return []
  return [...failed, `Fix it and continue from there: medloom workflow run ${shortId(workflow_id)} --resume`]
}

function howToContinue(workflowId: string): string {
  const id = shortId(workflowId)
  return `The run continues. Follow it: medloom workflow status ${id} --watch   Cancel it: medloom workflow cancel ${id}`
}
