import { atMost, type WorkflowIssue } from '@medloom/contracts'

/** Maximum number of issues of a workflow in one response. */
const MOST = 1000

/**
 * The issues that a response lists. If there are too many, errors come before warnings, and the last entry gives the number of the others.
 */
export function limitIssues(issues: readonly WorkflowIssue[]): WorkflowIssue[] {
  if (issues.length <= MOST) return [...issues]
  const errors = issues.filter(({ severity }) => severity === 'error')
  const others = issues.filter(({ severity }) => severity !== 'error')
  const severity = errors.length > MOST ? 'error' : 'warning'
  return atMost([...errors, ...others], { most: MOST }).map((issue) => ({
    ...issue,
    severity: issue.severity ?? severity,
  }))
}
