import { setTimeout as delay } from 'node:timers/promises'

export interface RestOptions {
  /** Ends the rest early. */
  readonly signal?: AbortSignal | undefined
  /** True if the process must not end meanwhile although it has nothing else to do. */
  readonly keepsAlive?: boolean
}

/** Waits; returns early when `signal` aborts. */
export async function rest(
  milliseconds: number,
  { signal, keepsAlive = false }: RestOptions = {},
): Promise<void> {
  await delay(milliseconds, undefined, { ref: keepsAlive, ...(signal && { signal }) }).catch(() => undefined)
}
