import { StartError } from './errors.js'
import { type RunningService, startService } from './service.js'
import { readSettings } from './settings.js'

const CLOSE_SECONDS = 10

/**
 * The service as a process: read the settings, start, print one line with the address, end on SIGTERM or SIGINT.
 *
 * A defect that nobody caught ends the process with 1. What the service knows is durable and trainings run on in processes of their
 * own, so a new start picks everything up; a service that goes on after losing one of its own loops would show stale jobs as if they
 * were true, and silence is never success.
 */
export async function runService(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  let service: RunningService
  try {
    service = await startService(readSettings(argv, env))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`Medloom cannot start: ${error.message}.\n${error.remedy}\n`)
    process.exitCode = 1
    return
  }
  process.stdout.write(`Medloom is ready at ${service.address}\n`)

  let ending = false
  const end = async (code: number) => {
    // Asked twice: the person does not want to wait.
    if (ending) process.exit(code || 130)
    ending = true
    setTimeout(() => process.exit(code || 1), CLOSE_SECONDS * 1000).unref()
    try {
      await service.close()
    } catch (error) {
      service.app.log.error({ err: error }, 'the service did not close cleanly')
      process.exit(1)
    }
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(0))
  const defect = (error: unknown) => {
    service.app.log.fatal({ err: error }, 'a defect that nobody caught; the service ends')
    void end(1)
  }
  process.on('uncaughtException', defect)
  process.on('unhandledRejection', defect)
}
