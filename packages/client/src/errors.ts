import type { ErrorBody, ErrorIssue, Phrase } from '@medloom/contracts'
import { CLIENT_ERRORS, type ClientErrorCode } from '@medloom/contracts/plain'

/** An error response, or a missing response. */
export class MedloomError extends Error {
  /** HTTP status; 0 if no response was received. */
  readonly http: number
  /** An error code of the service (docs/reference/errors.md) or a ClientErrorCode. */
  readonly code: string
  /** Remedy of the error. */
  readonly details: string
  /** Phrases of the message and of the details, for other languages; absent if the service sends none. */
  readonly phrases: { readonly message?: readonly Phrase[]; readonly details?: readonly Phrase[] }
  /** All problems of the request, each with its location. */
  readonly issues: readonly ErrorIssue[]
  readonly requestId: string | null

  constructor(
    message: string,
    facts: {
      http: number
      code: string
      details: string
      phrases?: MedloomError['phrases']
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
    this.phrases = facts.phrases ?? {}
    this.issues = facts.issues ?? []
    this.requestId = facts.requestId ?? null
  }

  /** True if a later attempt may succeed without any change: no response was received, or the service itself failed. */
  get isTransient(): boolean {
    return this.code === 'UNREACHABLE' || this.code === 'TIMEOUT' || this.http >= 500 || this.http === 429
  }
}

/** Error in the body of a response whose status is not 200. */
export function errorFromResponse(status: number, body: unknown): MedloomError {
  if (!isErrorBody(body))
    return clientError('INVALID_RESPONSE', `The response has status ${status} and is not one of Medloom.`, {
      http: status,
    })
  const { error, code, details, error_phrases, details_phrases, issues, request_id } = body
  return new MedloomError(error, {
    http: status,
    code,
    details,
    phrases: {
      ...(error_phrases ? { message: error_phrases } : {}),
      ...(details_phrases ? { details: details_phrases } : {}),
    },
    ...(issues ? { issues } : {}),
    requestId: request_id,
  })
}

/** Checked without the schema, which would add zod to the page. It checks the fields on which this client relies. */
function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false
  const { error, code, details, issues } = body as Record<string, unknown>
  const texts = [error, code, details].every((text) => typeof text === 'string')
  return texts && (issues === undefined || Array.isArray(issues))
}

/** An error of the client itself, with the remedy from the catalog. */
export function clientError(
  code: ClientErrorCode,
  message: string,
  { http = 0, cause }: { http?: number; cause?: unknown } = {},
): MedloomError {
  return new MedloomError(message, { http, code, details: CLIENT_ERRORS[code].remedy, cause })
}

/** Reason of a failed connection: the innermost cause is the most specific. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.cause instanceof Error) return reasonOf(thrown.cause)
  return (thrown as { code?: string }).code ?? thrown.message
}
