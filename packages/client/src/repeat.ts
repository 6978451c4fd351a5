import type { CallOptions } from './call.js'
import { MedloomError } from './errors.js'
import { growingPause } from './reconnect.js'

const RETRY_SECONDS = 60
/** The connection was there and ended before the response. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** The service is without its database or its controller for a while, and may have lost it in the middle of the request. */
const AWAY = ['DATABASE_UNAVAILABLE', 'CONTROLLER_UNAVAILABLE', 'CONTROLLER_LOST']

/**
 * Send a request that has an Idempotency-Key again while the service is without what it needs, and after a connection that broke: what was
 * carried out gives the stored response. While the service begins anew it may not listen, which is waited for as well.
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

/** Of an error and of what caused it. */
function codesOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return []
  const { code } = cause as { code?: string }
  return [...(code === undefined ? [] : [code]), ...codesOf(cause.cause)]
}
