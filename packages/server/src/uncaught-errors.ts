import type { EventEmitter } from 'node:events'
import { isLost } from './database/database-error.js'
import type { RestartingService } from './restarting-service.js'

/**
 * Calls `fail` for each error that nothing caught. It is registered before the service starts: an error during the start must not leave a
 * process that reports a service of which a part is missing. Errors of a lost database are skipped, since the service, or its start, waits
 * until the database responds again.
 *
 * @param started the service, or undefined while it starts
 */
export function onUncaughtError(
  host: Pick<EventEmitter, 'on'>,
  started: () => Pick<RestartingService, 'isOfLost'> | undefined,
  fail: (error: unknown) => void,
): void {
  for (const event of ['uncaughtException', 'unhandledRejection'])
    host.on(event, (error) => {
      const isExpected = started()?.isOfLost(error) ?? isLost(error)
      if (!isExpected) fail(error)
    })
}
