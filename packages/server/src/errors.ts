import { ERRORS, type ErrorCode, type ErrorIssue } from '@medloom/contracts'

/** An error that a caller may see. Its HTTP status and remedy come from the catalog. */
export class AppError extends Error {
  readonly http: number
  /** Location in the trainer that raised the error. Never part of a response. */
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

/** All issues of an input in one error. Its code is that of the issue if there is a single one with an error code. */
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

/** The error as one of the issues of a response: `path` gives the location, so the message need not begin with it. */
export function issueAt(path: string, { code, message, details }: AppError): ErrorIssue {
  const prefix = `${path}: `
  return {
    path,
    code,
    message: message.startsWith(prefix) ? message.slice(prefix.length) : message,
    hint: details,
  }
}

/** The service cannot start with these settings; message and remedy are printed on the terminal. */
export class StartError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message)
    this.name = 'StartError'
  }
}
