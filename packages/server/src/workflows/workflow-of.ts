import { joinTexts, readWorkflowSteps, WORKFLOW_VERSION, type Workflow } from '@medloom/contracts'
import { runYielding } from '@medloom/workflow'
import { yieldUntilAborted } from '../concurrency/event-loop.js'
import { AppError, hintOfIssue, placedMessage } from '../errors.js'

/**
 * A saved file, or {name} for an empty workflow.
 * @param signal aborted when nobody waits for it any more
 * @throws AppError WORKFLOW_INVALID
 */
export async function workflowOf(body: Record<string, unknown>, signal?: AbortSignal): Promise<Workflow> {
  const keys = Object.keys(body)
  const onlyName = keys.length === 0 || (keys.length === 1 && keys[0] === 'name')
  const document = onlyName
    ? {
        version: WORKFLOW_VERSION,
        metadata: { name: body.name ?? '', created_at: new Date().toISOString() },
        nodes: [],
        connections: [],
      }
    : body
  const read = await runYielding(readWorkflowSteps(document), yieldUntilAborted(signal))
  if (read.ok) return read.value
  const [first] = read.issues
  const message = joinTexts(read.issues.slice(0, 3).map(placedMessage), 'semicolon')
  throw new AppError('WORKFLOW_INVALID', message, first && hintOfIssue(first), read.issues)
}
