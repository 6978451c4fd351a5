import { Command } from 'commander'
import { addDatasets } from './commands/datasets/index.js'
import { addDoctor } from './commands/doctor.js'
import { addJobs } from './commands/jobs/index.js'
import { addLogs } from './commands/jobs/logs.js'
import { addEvaluation, addModels } from './commands/models/index.js'
import { addServe } from './commands/serve.js'
import { addBackbones, addSystem } from './commands/system/index.js'
import { addStart } from './commands/train.js'
import { addWorkflow } from './commands/workflow/index.js'
import { EXIT_HELP } from './exit-codes.js'
import { reportError } from './terminal/print.js'

/** What the commands share with each other and with the end of the process. */
export interface CommandContext {
  /** The arguments as they were typed, after the name of the program. */
  readonly argv: readonly string[]
  exitCode: number
  /** Where in the user's configuration file a problem stands. */
  placeOf: (issue: { path: string }) => string | null
}

/** Run one command line (as in process.argv); gives the exit status. Errors are written to stderr. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const context: CommandContext = { argv: argv.slice(2), exitCode: 0, placeOf: () => null }
  try {
    await buildProgram(context).parseAsync(argv)
    return context.exitCode
  } catch (error) {
    return reportError(error, context.argv.includes('--json'), context.placeOf)
  }
}

function buildProgram(context: CommandContext): Command {
  const program = new Command('medloom')
    .description('Trains models that read medical images and tables together.')
    .version('0.1.0')
    .option('--url <address>', 'address of the service (MEDLOOM_URL; default http://127.0.0.1:8000)')
    .option('--token-file <file>', 'file with the token of the service (MEDLOOM_TOKEN_FILE)')
    .option('--json', 'machine-readable output: one JSON document, or one per line; errors as JSON on stderr')
    .addHelpText(
      'after',
      `\nJob ids may be shortened to a unique beginning; "latest" is the newest job.\n\n${EXIT_HELP}`,
    )
    .showSuggestionAfterError()
    .configureOutput(context.argv.includes('--json') ? { outputError: () => {} } : {})
    .exitOverride()
  addServe(program, context)
  addStart(program, context)
  addJobs(program, context)
  addLogs(program, context)
  addModels(program)
  addEvaluation(program)
  addDatasets(program)
  addWorkflow(program, context)
  addBackbones(program)
  addSystem(program)
  addDoctor(program, context)
  return program
}
