import { after } from './concurrency/timer.js'
import { SHUTDOWN_SECONDS } from './durations.js'
import { StartError } from './errors.js'
import { RestartingService } from './restarting-service.js'
import { readSettings } from './settings.js'

/**
 * The service as a process: read the settings, start, print one line with the address, shut down on SIGTERM or SIGINT.
 *
 * An uncaught error ends the process with exit code 1. The state of the service is durable and trainings continue in separate processes, so
 * a restart recovers everything; a service that continued without one of its loops would report outdated jobs as current.
 */
export async function runService(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  let running: RestartingService
  try {
    running = await RestartingService.start(readSettings(argv, env), (error) => defect(error))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`Medloom cannot start: ${error.message}.\n${error.remedy}\n`)
    process.exitCode = 1
    return
  }
  process.stdout.write(`Medloom is ready at ${running.service.address}\n`)

  let ending = false
  const end = async (code: number) => {
    // A second signal: exit at once.
    if (ending) process.exit(code || 130)
    ending = true
    after(SHUTDOWN_SECONDS * 1000, () => process.exit(code || 1))
    try {
      await running.close()
    } catch (error) {
      running.service.app.log.error({ err: error }, 'the service did not close cleanly')
      process.exit(1)
    }
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(0))
  const defect = (error: unknown) => {
    if (running.isOfLost(error)) return
    running.service.app.log.fatal({ err: error }, 'uncaught error; the service shuts down')
    void end(1)
  }
  process.on('uncaughtException', defect)
  process.on('unhandledRejection', defect)
}
