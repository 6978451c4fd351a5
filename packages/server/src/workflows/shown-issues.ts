import { atMost, type WorkflowIssue } from '@medloom/contracts'

/** Issues of a workflow that one response lists. */
const MOST = 1000

/** The issues that a response lists. Where there are more than it can hold, errors come before warnings, and the last says how many more. */
export function shownIssues(issues: readonly WorkflowIssue[]): WorkflowIssue[] {
  if (issues.length <= MOST) return [...issues]
  const errors = issues.filter(({ severity }) => severity === 'error')
  const others = issues.filter(({ severity }) => severity !== 'error')
  const severity = errors.length > MOST ? 'error' : 'warning'
  return atMost([...errors, ...others], { most: MOST }).map((issue) => ({
    ...issue,
    severity: issue.severity ?? severity,
  }))
}
