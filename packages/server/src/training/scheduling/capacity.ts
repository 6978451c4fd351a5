import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Capacity, Launcher } from '../../launchers/launcher.js'

/** Asks for the capacity until the launcher can tell it; all who ask meanwhile wait for the same answer. */
export function askCapacity(
  launcher: Pick<Launcher, 'capacity'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
  retryMilliseconds = 5000,
): () => Promise<Capacity> {
  const ask = async (): Promise<Capacity> => {
    for (;;) {
      try {
        return await launcher.capacity()
      } catch (error) {
        log.warn({ err: error }, 'the launcher could not tell its capacity; it is asked again')
        await delay(retryMilliseconds, undefined, { ref: false })
      }
    }
  }
  let asking: Promise<Capacity> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
