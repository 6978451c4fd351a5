import type { FastifyBaseLogger } from 'fastify'
import { poll } from '../concurrency/poll.js'
import { sleep } from '../concurrency/sleep.js'
import { isLost } from '../database/database-error.js'
import { CONTROLLER_LOCK_RETRY_MILLISECONDS } from '../durations.js'

export interface ControllerLock {
  /** Returns true if this process now holds the lock of the controller. */
  readonly tryLock: () => Promise<boolean>
  /** End the connection of a hung controller, so that its lock is free. */
  readonly endHung: () => Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  readonly retryMilliseconds?: number
}

/**
 * Resolves with the lock, as soon as no other process holds it, or its holder hangs.
 * @throws DatabaseError `lost`: the connection cannot be used any more.
 */
export async function acquireControllerLock({
  tryLock,
  endHung,
  log,
  retryMilliseconds = CONTROLLER_LOCK_RETRY_MILLISECONDS,
}: ControllerLock): Promise<void> {
  if (await tryLock()) return
  log.info('another process is the controller; this process is on standby')
  let isAnswered = true
  const look = async () => {
    try {
      await endHung()
      const taken = await tryLock()
      isAnswered = true
      return taken || undefined
    } catch (error) {
      if (isLost(error)) throw error
      if (isAnswered)
        log.warn(
          { err: error },
          'the database does not contain the address of the controller; this process remains on standby',
        )
      isAnswered = false
      return undefined
    }
  }
  await sleep(retryMilliseconds, { keepsAlive: true })
  await poll(look, { delay: () => retryMilliseconds, keepsAlive: true })
}
