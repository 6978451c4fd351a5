import { joinTexts, phrase, type WorkflowIssue } from '@medloom/contracts'
import { AppError, hintOfIssue, placedMessage } from '../errors.js'
import { limitIssues } from './limit-issues.js'

/** The error of a workflow that cannot run, with its issues: a cycle has a separate code. */
export function notRunnable(issues: readonly WorkflowIssue[]): AppError {
  const errors = issues.filter(({ severity }) => severity === 'error')
  const cycle = errors.find(({ code }) => code === 'CYCLE')
  const shown = cycle ? [cycle] : errors.slice(0, 3)
  const rest = errors.length - shown.length
  const more = rest > 0 ? [phrase('and_more', { count: rest })] : []
  return new AppError(
    cycle ? 'WORKFLOW_CYCLE' : 'WORKFLOW_INVALID',
    joinTexts([...shown.map(placedMessage), ...more], 'semicolon'),
    shown[0] && hintOfIssue(shown[0]),
    limitIssues(issues),
  )
}

export function unknownWorkflow(): AppError {
  return new AppError('WORKFLOW_NOT_FOUND', phrase('workflow_unknown'))
}
