import type { RestartingService, ServiceFlag } from '@medloom/server'
import type { AddCommand } from '../command.js'
import { UsageError } from '../exit-codes.js'
import { openPage } from '../terminal/open-page.js'
import { printLine } from '../terminal/print.js'
import { formatTable } from '../terminal/table.js'
import { terminal } from '../terminal/terminal.js'

export const addServe: AddCommand = (parent, context) =>
  parent
    .add('serve')
    .description('run the service in this terminal')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[flags...]')
    .example('medloom serve --port 8123 --root /data/study')
    .action(async () => {
      // Loaded here, so that the other commands start without the service's libraries.
      const { readSettings, SERVICE_FLAGS, StartError, RestartingService, onUncaughtError } = await import(
        '@medloom/server'
      )
      const flags = context.argv.slice(context.argv.indexOf('serve') + 1)
      if (flags.some((flag) => flag === '--help' || flag === '-h')) return printLine(help(SERVICE_FLAGS))
      let service: RestartingService | undefined
      onUncaughtError(process, () => service, fail)
      const { running, settings } = await Promise.resolve()
        .then(async () => {
          const settings = readSettings(flags, terminal().env)
          service = await RestartingService.start(settings, fail)
          return { settings, running: service }
        })
        .catch((error) => {
          throw error instanceof StartError ? new UsageError(error.message, error.remedy) : error
        })
      // Signal handlers come first: a program that reads the line may send a signal at once.
      const end = ended(running)
      printLine(`Medloom is ready at ${running.service.address}`)
      if (settings.open && openPage(running.service.address))
        printLine('The page opens in the browser; use --open off to prevent that.')
      await end
    })

/** A service that has lost one of its loops would report outdated states as current. */
function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}

/** Resolves once a signal has ended the service; a second signal exits at once. */
function ended(service: Pick<RestartingService, 'close'>): Promise<void> {
  return new Promise((resolve, reject) => {
    let closing = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (closing) process.exit(signal === 'SIGINT' ? 130 : 143)
        closing = true
        service.close().then(resolve, reject)
      })
  })
}

function help(flags: Readonly<Record<string, ServiceFlag>>): string {
  const rows = Object.entries(flags).map(([name, flag]) => [
    `--${name} <${flag.value}>`,
    flag.env,
    `${flag.meaning} (${flag.otherwise ?? flag.default})`,
  ])
  return `Usage: medloom serve [flags]

Runs the service until Ctrl-C. Trainings continue to run; the next start reconnects to them.

${formatTable(['flag', 'environment', 'meaning (default)'], rows)}`
}
