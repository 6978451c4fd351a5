import { constants } from 'node:os'
import { undoAll } from '../testing/leftovers.js'

/**
 * A soak leaves no service, no mounted disk and no folder behind, also when SIGINT or SIGTERM ends it, or a defect of its own. Imported
 * first, before anything is made.
 */
if (/[\\/]tests[\\/]soak[\\/][^\\/]+$/.test(process.argv[1] ?? '')) {
  process.once('exit', undoAll)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      console.log(`ended by ${signal}`)
      process.exit(128 + constants.signals[signal])
    })
}
