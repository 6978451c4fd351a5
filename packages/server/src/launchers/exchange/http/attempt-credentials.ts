import { phrase, ROUTES } from '@medloom/contracts'
import { AppError } from '../../../errors.js'

export interface AttemptCredentials {
  readonly jobId: string
  readonly attempt: number
  readonly token: string
}

/**
 * The attempt that the address of a request names, with the token of the request, which is not checked.
 * @param params of the address, which may not name any attempt
 * @param authorization the header
 * @throws AppError UNAUTHORIZED without a token or an attempt
 */
export function attemptCredentials(params: unknown, authorization: string | undefined): AttemptCredentials {
  const token = /^Bearer ([\w-]+)$/.exec(authorization ?? '')?.[1]
  const named = ROUTES.getExchangeOrder.params.safeParse(params).data
  if (token === undefined || !named) throw unauthorizedAttempt()
  return { jobId: named.job_id, attempt: named.attempt, token }
}

export function unauthorizedAttempt(): AppError {
  return new AppError('UNAUTHORIZED', phrase('attempt_token_required'), phrase('launcher_passes_token'))
}
