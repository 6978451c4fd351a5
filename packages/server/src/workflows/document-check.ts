import type { CheckWorkflowRequest, WorkflowCheck } from '@medloom/contracts'
import { scopeOf } from '@medloom/workflow'
import type { z } from 'zod'
import { yieldUntilAborted } from '../concurrency/event-loop.js'
import { type CheckContext, checkWorkflow } from './check-workflow.js'
import { limitIssues } from './limit-issues.js'
import type { RunPlanner } from './runs/run-planner.js'
import { shownValues } from './shown-values.js'
import { unknownWorkflow } from './workflow-errors.js'
import { workflowOf } from './workflow-of.js'
import type { WorkflowsRepository } from './workflows.repository.js'

export interface DocumentCheckOptions {
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal
  readonly planner: RunPlanner
  readonly workflows: Pick<WorkflowsRepository, 'has'>
  readonly checkContext: CheckContext
}

/**
 * The data that an editor shows for an unsaved document: its issues, the values at its ports, and the plan of a run. Stores nothing.
 * @throws AppError WORKFLOW_INVALID when the body is not a saved workflow, WORKFLOW_NOT_FOUND.
 */
export async function checkDocument(
  { workflow: document, workflow_id, ...request }: z.output<typeof CheckWorkflowRequest>,
  { planner, workflows, checkContext, signal }: DocumentCheckOptions,
): Promise<WorkflowCheck> {
  const workflow = await workflowOf(document, signal)
  if (workflow_id !== undefined && !(await workflows.has(workflow_id))) throw unknownWorkflow()
  const checked = await checkWorkflow(workflow, checkContext, signal)
  const values = await shownValues(checked.outputs, yieldUntilAborted(signal))
  const scope = scopeOf(checked.validated, request, checked.more)
  if (!scope.ok) {
    // Nonexistent targets are issues of the request, not of the document.
    const ofDocument = new Set(checked.issues)
    const ofRequest = scope.issues.filter((issue) => !ofDocument.has(issue))
    return { issues: limitIssues([...ofRequest, ...checked.issues]), values, plan: null }
  }
  const { steps, counts } = await planner.planOf(checked, request, { workflowId: workflow_id, signal })
  return { issues: limitIssues(checked.issues), values, plan: { steps: [...steps], counts } }
}
