import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Capacity, Launcher } from '../../launchers/launcher.js'

/** Asks the launcher for its capacity until it knows it; callers in the meantime share the answer. */
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
        log.warn({ err: error }, 'the launcher does not know its capacity; it is asked again')
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
