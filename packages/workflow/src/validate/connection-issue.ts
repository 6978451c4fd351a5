import {
  hintOf,
  type IssueCode,
  messageOf,
  type Phrase,
  type WorkflowConnection,
  type WorkflowIssue,
} from '@medloom/contracts'

export function connectionIssue(
  connection: WorkflowConnection,
  code: IssueCode,
  message: Phrase,
  ...hint: Phrase[]
): WorkflowIssue {
  return {
    severity: 'error',
    path: `connections.${connection.id}`,
    code,
    ...messageOf(message),
    ...(hint.length > 0 ? hintOf(...hint) : {}),
    connection: connection.id,
  }
}
