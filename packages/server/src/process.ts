import type { EventEmitter } from 'node:events'
import { after } from './concurrency/timer.js'
import { SHUTDOWN_SECONDS } from './durations.js'
import { StartError } from './errors.js'
import { RestartingService } from './restarting-service.js'
import { readSettings } from './settings.js'
import { onUncaughtError } from './uncaught-errors.js'

/** The members of the process that the service uses. */
export interface HostProcess extends Pick<EventEmitter, 'on'> {
  exitCode?: number | string | null | undefined
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  exit(code: number): void
}

/**
 * The service as a process: read the settings, start, print one line with the address, shut down on SIGTERM or SIGINT.
 *
 * An uncaught error ends the process with exit code 1, also during the start. The state of the service is durable and trainings continue
 * in separate processes, so a restart recovers everything; a service that continued without one of its loops would report outdated jobs as
 * current.
 */
export async function runService(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  host: HostProcess = process,
  start: typeof RestartingService.start = RestartingService.start,
): Promise<void> {
  let running: RestartingService | undefined
  let failed = false
  let ending = false
  async function end(service: RestartingService, code: number): Promise<void> {
    // A second signal: exit at once.
    if (ending) return host.exit(code || 130)
    ending = true
    after(SHUTDOWN_SECONDS * 1000, () => host.exit(code || 1))
    try {
      await service.close()
    } catch (error) {
      service.service.app.log.error({ err: error }, 'the service did not close cleanly')
      return host.exit(1)
    }
    host.exit(code)
  }
  const fail = (error: unknown) => {
    failed = true
    if (!running) {
      host.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      return host.exit(1)
    }
    running.service.app.log.fatal({ err: error }, 'uncaught error; the service shuts down')
    void end(running, 1)
  }
  onUncaughtError(host, () => running, fail)

  try {
    running = await start(readSettings(argv, env), fail)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    host.stderr.write(`Medloom cannot start: ${error.message}.\n${error.remedy}\n`)
    host.exitCode = 1
    return
  }
  if (failed) return
  const started = running
  host.stdout.write(`Medloom is ready at ${started.service.address}\n`)

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.on(signal, () => void end(started, 0))
}
