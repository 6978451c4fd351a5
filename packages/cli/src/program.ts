import { readFileSync } from 'node:fs'
import { addAliases } from './aliases.js'
import { MedloomCommand, refuseUnknownCommand } from './command.js'
import { addModelAliases } from './commands/aliases/index.js'
import { addData } from './commands/data/index.js'
import { addDatabase } from './commands/database.js'
import { addDatasets } from './commands/datasets/index.js'
import { addDoctor } from './commands/doctor.js'
import { addFiles } from './commands/files/index.js'
import { addFollowUps } from './commands/follow-ups/index.js'
import { addJobs } from './commands/jobs/index.js'
import { addModels } from './commands/models/index.js'
import { addNodes } from './commands/nodes/index.js'
import { addPeople } from './commands/people/index.js'
import { addPredictions } from './commands/predictions/index.js'
import { addServe } from './commands/serve.js'
import { addSetup } from './commands/setup.js'
import { addStudy } from './commands/study/index.js'
import { addSystem } from './commands/system/index.js'
import { addTrain } from './commands/train.js'
import { addWorkflow } from './commands/workflow/index.js'
import { type CommandContext, createContext } from './context.js'
import { EXIT_HELP } from './exit-codes.js'
import { reportError } from './terminal/report-error.js'
import { type Output, PROCESS_TERMINAL, type Terminal, terminal, withTerminal } from './terminal/terminal.js'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/**
 * Run one command line (as in process.argv); returns the exit status. Errors are written to stderr. With a separate terminal it neither
 * reads nor changes the state of the process, except for `serve`, which handles its signals.
 */
export function runCommandLine(argv: readonly string[], own: Terminal = PROCESS_TERMINAL): Promise<number> {
  return withTerminal(own, async () => {
    const context = createContext(argv.slice(2))
    try {
      await buildProgram(context).parseAsync(argv)
      return context.exitCode
    } catch (error) {
      return reportError(error, context.argv.includes('--json'), context.placeOf)
    }
  })
}

/** The commands with their options and actions; the reference page is generated from it. */
export function buildProgram(context: CommandContext): MedloomCommand {
  const program = new MedloomCommand('medloom')
    .description('Trains models that read medical images and tables together.')
    .version(version)
    .option('--url <address>', 'address of the service, or MEDLOOM_URL (default: http://127.0.0.1:8000)')
    .option(
      '--token-file <file>',
      'file with your token, or MEDLOOM_TOKEN_FILE; or the token itself in MEDLOOM_TOKEN',
    )
    .option('--json', 'machine-readable output: one JSON document, or one per line; errors as JSON on stderr')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => terminal().stdout.write(text),
      writeErr: (text) => terminal().stderr.write(text),
      getOutHelpWidth: () => columnsOf(terminal().stdout),
      getErrHelpWidth: () => columnsOf(terminal().stderr),
      ...(context.argv.includes('--json') ? { outputError: () => {} } : {}),
    })
    .exitOverride()
  program.on('command:*', ([word]: string[]) => refuseUnknownCommand(program, word ?? ''))
  for (const add of [addServe, addTrain]) add(program, context)
  for (const add of [
    addJobs,
    addStudy,
    addModels,
    addModelAliases,
    addPredictions,
    addFollowUps,
    addDatasets,
    addData,
    addFiles,
    addWorkflow,
    addNodes,
    addSystem,
  ])
    add(program, context)
  addPeople(program)
  addDatabase(program, context)
  addDoctor(program, context)
  addSetup(program, context)
  addAliases(program, context)
  const aliases = program.children.flatMap((command) => (command.aliasOf ? [command.name()] : []))
  return program.note(`Aliases: ${aliases.join(', ')} (medloom ls is medloom jobs ls).`).note(EXIT_HELP)
}

/** Widths for commander, which it would otherwise read from the process. */
function columnsOf({ isTTY, columns }: Output): number {
  return (isTTY && columns) || 80
}
