import { sleep } from './sleep.js'

/** The result of `work`; null when the time is over, or `signal` aborts, before it arrives. Does not keep the process alive. */
export async function within<Value>(
  milliseconds: number,
  work: Promise<Value>,
  signal?: AbortSignal,
): Promise<Value | null> {
  const arrived = new AbortController()
  const end = signal ? AbortSignal.any([arrived.signal, signal]) : arrived.signal
  try {
    return await Promise.race([work, sleep(milliseconds, { signal: end }).then(() => null)])
  } finally {
    arrived.abort()
  }
}
