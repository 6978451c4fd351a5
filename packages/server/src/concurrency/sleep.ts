import { setTimeout as delay } from 'node:timers/promises'

export interface SleepOptions {
  /** Ends the rest early. */
  readonly signal?: AbortSignal | undefined
  /** True if the process must not end meanwhile although it has nothing else to do. */
  readonly keepsAlive?: boolean
}

/** Waits; returns early when `signal` aborts. */
export async function sleep(
  milliseconds: number,
  { signal, keepsAlive = false }: SleepOptions = {},
): Promise<void> {
  await delay(milliseconds, undefined, { ref: keepsAlive, ...(signal && { signal }) }).catch(() => undefined)
}
