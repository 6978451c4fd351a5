import { constants } from 'node:os'
import { runCleanups } from '../testing/cleanup.js'

/**
 * A soak leaves no service, mounted disk or folder behind, even if SIGINT, SIGTERM or a defect ends it. It must be imported first, before
 * anything is created.
 */
if (/[\\/]tests[\\/]soak[\\/][^\\/]+$/.test(process.argv[1] ?? '')) {
  process.once('exit', runCleanups)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      console.log(`ended by ${signal}`)
      process.exit(128 + constants.signals[signal])
    })
}
