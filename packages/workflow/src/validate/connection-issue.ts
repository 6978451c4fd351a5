import type { IssueCode, WorkflowConnection, WorkflowIssue } from '@medloom/contracts'

export function connectionIssue(
  connection: WorkflowConnection,
  code: IssueCode,
  message: string,
  hint?: string,
): WorkflowIssue {
  return {
    severity: 'error',
    path: `connections.${connection.id}`,
    code,
    message,
    ...(hint ? { hint } : {}),
    connection: connection.id,
  }
}
