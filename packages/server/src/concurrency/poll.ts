import { type SleepOptions, sleep } from './sleep.js'

export interface PollOptions extends SleepOptions {
  /** Milliseconds before repetition number `attempt`, counted from 0. */
  readonly delay: (attempt: number) => number
}

/** Repeats `look` until it finds something. @returns undefined once `signal` aborts */
export async function poll<Found>(
  look: () => Promise<Found | undefined>,
  { delay, ...options }: PollOptions,
): Promise<Found | undefined> {
  for (let attempt = 0; !options.signal?.aborted; attempt++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(delay(attempt), options)
  }
  return undefined
}
