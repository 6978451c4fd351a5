import type { CallOptions } from './call.js'
import { MedloomError } from './errors.js'
import { growingPause } from './reconnect.js'

const RETRY_SECONDS = 60
/** The connection was established and ended before the response. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** The service temporarily lacks its database or its controller, and may have lost it during the request. */
const AWAY = ['DATABASE_UNAVAILABLE', 'CONTROLLER_UNAVAILABLE', 'CONTROLLER_LOST']

/**
 * Repeats a request with an Idempotency-Key while the service lacks a component, and after a broken connection: a request that was already
 * carried out returns the stored response. A restarting service may not accept connections, which is retried as well.
 */
export async function repeatWithKey<Result>(
  send: () => Promise<Result>,
  { idempotencyKey, signal, retrySeconds = RETRY_SECONDS }: CallOptions,
): Promise<Result> {
  const until = Date.now() + retrySeconds * 1000
  for (let number = 0; ; number++)
    try {
      return await send()
    } catch (error) {
      const isKnown = error instanceof MedloomError && idempotencyKey !== undefined
      if (!isKnown || !isWorthAgain(error, number) || signal?.aborted || Date.now() > until) throw error
      await growingPause(number, signal)
    }
}

function isWorthAgain({ code, cause }: MedloomError, number: number): boolean {
  if (AWAY.includes(code)) return true
  return code === 'UNREACHABLE' && (number > 0 || codesOf(cause).some((of) => BROKEN.includes(of)))
}

/** Codes of an error and of its causes. */
function codesOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return []
  const { code } = cause as { code?: string }
  return [...(code === undefined ? [] : [code]), ...codesOf(cause.cause)]
}
