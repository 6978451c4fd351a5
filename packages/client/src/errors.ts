import { ErrorBody, type ErrorIssue } from '@medloom/contracts'

/** Codes that the client itself gives, beside the catalog of the service. Their `http` is 0: no answer was received. */
export type ClientErrorCode = 'UNREACHABLE' | 'TIMEOUT' | 'ABORTED' | 'INVALID_RESPONSE'

/** An answer that is an error, or no answer at all. */
export class MedloomError extends Error {
  /** HTTP status; 0 when the service did not answer. */
  readonly http: number
  /** A code of the service's catalog or a ClientErrorCode. */
  readonly code: string
  /** What to do. */
  readonly details: string
  /** Every problem of the request, each with its place. */
  readonly issues: readonly ErrorIssue[]
  readonly requestId: string | null

  constructor(
    message: string,
    facts: {
      http: number
      code: string
      details: string
      issues?: readonly ErrorIssue[]
      requestId?: string | undefined
      cause?: unknown
    },
  ) {
    super(message, { cause: facts.cause })
    this.name = 'MedloomError'
    this.http = facts.http
    this.code = facts.code
    this.details = facts.details
    this.issues = facts.issues ?? []
    this.requestId = facts.requestId ?? null
  }

  /** True when a later try may succeed without any change: nobody answered, or the service itself failed. */
  get isTransient(): boolean {
    return this.code === 'UNREACHABLE' || this.code === 'TIMEOUT' || this.http >= 500 || this.http === 429
  }
}

/** The error in the body of an answer whose status is not 200. */
export function errorFromResponse(status: number, body: unknown): MedloomError {
  const parsed = ErrorBody.safeParse(body)
  if (!parsed.success)
    return new MedloomError(`The answer has status ${status} and is not one of Medloom.`, {
      http: status,
      code: 'INVALID_RESPONSE',
      details: 'Is this the address of a Medloom service? A proxy may stand in between.',
    })
  const { error, code, details, issues, request_id } = parsed.data
  return new MedloomError(error, {
    http: status,
    code,
    details,
    ...(issues ? { issues } : {}),
    requestId: request_id,
  })
}

export function unreachable(baseUrl: string, cause: unknown): MedloomError {
  const reason = cause instanceof Error ? reasonOf(cause) : String(cause)
  return new MedloomError(`No service answers at ${baseUrl} (${reason}).`, {
    http: 0,
    code: 'UNREACHABLE',
    details: 'Start it with "medloom serve", or name another address.',
    cause,
  })
}

function reasonOf(error: Error & { code?: string }): string {
  const inner = error.cause
  return inner instanceof Error ? reasonOf(inner) : (error.code ?? error.message)
}
