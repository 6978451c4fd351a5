import { type SleepOptions, sleep } from './sleep.js'

export interface RetryOptions extends SleepOptions {
  /** Milliseconds before repetition number `attempt`, counted from 0. */
  readonly delay: (attempt: number) => number
  /** Called after each failure. An error that it throws ends the repetition. */
  readonly onFailure: (error: unknown) => void | Promise<void>
}

/** Repeats `work` until it succeeds, with a pause after each failure. @throws the last error once `signal` aborts */
export async function retry<Result>(
  work: () => Promise<Result>,
  { delay, onFailure, ...options }: RetryOptions,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      await onFailure(error)
      if (options.signal?.aborted) throw error
    }
    await sleep(delay(attempt), options)
  }
}
