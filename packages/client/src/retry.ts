import { backoff } from '@medloom/contracts/plain'
import { FIRST_RETRY_MILLISECONDS, LONGEST_RETRY_MILLISECONDS } from './durations.js'

/** The pause before each repetition, in milliseconds. */
const pauseBefore = backoff(FIRST_RETRY_MILLISECONDS, LONGEST_RETRY_MILLISECONDS)

export interface RetryOptions {
  /** Seconds after which no repetition starts. */
  readonly seconds: number
  readonly signal: AbortSignal | undefined
  /** @param attempt number of the failed attempt, counted from 0 */
  readonly isWorthAgain: (error: unknown, attempt: number) => boolean
}

/** Repeats `send` with growing pauses while its errors are worth a repetition. @throws the last error */
export async function retry<Result>(
  send: (attempt: number) => Promise<Result>,
  { seconds, signal, isWorthAgain }: RetryOptions,
): Promise<Result> {
  const deadline = Date.now() + seconds * 1000
  for (let attempt = 0; ; attempt++)
    try {
      return await send(attempt)
    } catch (error) {
      if (!isWorthAgain(error, attempt) || signal?.aborted || Date.now() > deadline) throw error
      await growingPause(attempt, signal)
    }
}

/**
 * Waits before repetition number `attempt`, counted from 0. Returns early when `signal` aborts. The pauses of many clients differ, so that
 * they do not all reconnect at the same moment.
 */
export function growingPause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const milliseconds = pauseBefore(attempt) * (0.75 + Math.random() / 2)
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}
