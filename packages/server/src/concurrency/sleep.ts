export interface SleepOptions {
  /** Ends the rest early. */
  readonly signal?: AbortSignal | undefined
  /** True if the process must not end meanwhile although it has nothing else to do. */
  readonly keepsAlive?: boolean
}

/** Waits; returns early when `signal` aborts. */
export function sleep(
  milliseconds: number,
  { signal, keepsAlive = false }: SleepOptions = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    if (!keepsAlive) timer.unref()
    signal?.addEventListener('abort', end)
  })
}
