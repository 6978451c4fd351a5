import type { CallOptions } from './call.js'
import { RETRY_SECONDS } from './durations.js'
import { MedloomError } from './errors.js'
import { retry } from './retry.js'

/** The connection was established and ended before the response. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** The service temporarily lacks its database or its controller, and may have lost it during the request. */
const AWAY = ['DATABASE_UNAVAILABLE', 'CONTROLLER_UNAVAILABLE', 'CONTROLLER_LOST']

/**
 * Repeats a request with an Idempotency-Key while the service lacks a component, and after a broken connection: a request that was already
 * carried out returns the stored response. A restarting service may not accept connections, which is retried as well.
 */
export function repeatWithKey<Result>(
  send: () => Promise<Result>,
  { idempotencyKey, signal, retrySeconds = RETRY_SECONDS }: CallOptions,
): Promise<Result> {
  return retry(send, {
    seconds: retrySeconds,
    signal,
    isWorthAgain: (error, attempt) =>
      idempotencyKey !== undefined && error instanceof MedloomError && isWorthAgain(error, attempt),
  })
}

function isWorthAgain({ code, cause }: MedloomError, attempt: number): boolean {
  if (AWAY.includes(code)) return true
  return code === 'UNREACHABLE' && (attempt > 0 || codesOf(cause).some((name) => BROKEN.includes(name)))
}

/** Codes of an error and of its causes. */
function codesOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return []
  const { code } = cause as { code?: string }
  return [...(code === undefined ? [] : [code]), ...codesOf(cause.cause)]
}
