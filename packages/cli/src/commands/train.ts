import { randomUUID } from 'node:crypto'
import { basename, extname } from 'node:path'
import { StartRequest } from '@medloom/contracts'
import type { Command } from 'commander'
import { readConfigFile } from '../config/config-file.js'
import { followAsCommand } from '../follow/follow-job.js'
import type { CommandContext } from '../program.js'
import { type ConnectionOptions, connect } from '../service/connection.js'
import { shortId } from '../terminal/format.js'
import { printJson, printJsonLine, printLine } from '../terminal/print.js'

interface StartOptions extends ConnectionOptions {
  config: string
  name?: string
  set: string[]
  watch?: boolean
  keepPaths?: boolean
  json?: boolean
}

export function addStart(program: Command, context: CommandContext): void {
  program
    .command('start')
    .description('start a training from a configuration in YAML or JSON')
    .requiredOption('-f, --config <file>', 'the configuration; "-" reads standard input')
    .option('-n, --name <name>', 'name of the job (default: the name of the file)')
    .option('-s, --set <key=value>', 'set one key, for example training.epochs=3; repeatable', collect, [])
    .option('-w, --watch', 'follow the training until it ends')
    .option('--keep-paths', 'send relative paths as they are: the service takes them from its first root')
    .addHelpText(
      'after',
      '\nRelative paths in the file start at the folder of the file, those of --set at the current folder.',
    )
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<StartOptions>()
      const { config, placeOf } = readConfigFile(options.config, options.set, {
        keepPaths: options.keepPaths ?? false,
      })
      context.placeOf = placeOf
      const client = connect(options)
      // The service judges the configuration; its answer names every problem, and placeOf the line of each.
      const request = { config, job_name: options.name ?? jobName(options.config) } as never
      const answer = await client.startTraining(request, { idempotencyKey: randomUUID() })
      if (!options.watch) {
        if (options.json) printJson(answer)
        else
          printLine(
            `${answer.message}\njob ${answer.job_id}\nFollow it: medloom watch ${shortId(answer.job_id)}`,
          )
        return
      }
      if (options.json) printJsonLine(answer)
      else printLine(`job ${answer.job_id}`)
      context.exitCode = await followAsCommand(client, answer.job_id, {
        json: options.json ?? false,
        since: 0,
      })
    })
}

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

function jobName(file: string): string {
  const name = basename(file, extname(file)).slice(0, 200)
  return StartRequest.shape.job_name.safeParse(name).success && file !== '-' ? name : 'training'
}
