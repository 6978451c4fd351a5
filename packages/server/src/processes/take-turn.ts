import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

/** How often a process that waits tries to become the controller. */
const RETRY_MILLISECONDS = 500

export interface Turn {
  /** Whether this process has the lock of the controller now. */
  readonly tryLock: () => Promise<boolean>
  /** End the connection of a controller that hangs, so that its lock is free. */
  readonly endHung: () => Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'info'>
  readonly retryMilliseconds?: number
}

/** Resolves with the lock, as soon as no other process has it, or whoever has it hangs. */
export async function takeTurn({
  tryLock,
  endHung,
  log,
  retryMilliseconds = RETRY_MILLISECONDS,
}: Turn): Promise<void> {
  if (await tryLock()) return
  log.info('another process is the controller; this one waits to take its place')
  do {
    await delay(retryMilliseconds)
    await endHung()
  } while (!(await tryLock()))
}
