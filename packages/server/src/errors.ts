import { ERRORS, type ErrorCode, type ErrorIssue } from '@medloom/contracts'

/** An error that a caller may see. Its HTTP status and remedy come from the catalog. */
export class AppError extends Error {
  readonly http: number
  /** Where the trainer threw it. Never part of an answer. */
  trace: string | null = null

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: string = ERRORS[code].remedy,
    readonly issues: readonly ErrorIssue[] = [],
  ) {
    super(message)
    this.name = 'AppError'
    this.http = ERRORS[code].http
  }
}

/** All problems of an input at once. The code is the problem's own when there is one problem with a code of its own. */
export function refusal(issues: readonly ErrorIssue[], details = issues[0]?.hint): AppError {
  const [first] = issues
  const own = issues.length === 1 && (first?.code === 'UNKNOWN_FIELD' || first?.code === 'UNKNOWN_BACKBONE')
  const inConfig = first?.path === 'config' || first?.path.startsWith('config.')
  return new AppError(
    own
      ? (first.code as 'UNKNOWN_FIELD' | 'UNKNOWN_BACKBONE')
      : inConfig
        ? 'INVALID_CONFIG'
        : 'INVALID_REQUEST',
    issues
      .slice(0, 3)
      .map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message))
      .join('; '),
    details,
    issues,
  )
}

/** The error as one of the issues of a larger answer: its place stands beside it, so the message need not begin with it. */
export function issueAt(path: string, { code, message, details }: AppError): ErrorIssue {
  const said = `${path}: `
  return {
    path,
    code,
    message: message.startsWith(said) ? message.slice(said.length) : message,
    hint: details,
  }
}

/** The service cannot start as it was asked to; the message and the remedy are for the person at the terminal. */
export class StartError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message)
    this.name = 'StartError'
  }
}
