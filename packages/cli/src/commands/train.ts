import { randomUUID } from 'node:crypto'
import { basename, extname } from 'node:path'
import { BASELINES, StartRequest } from '@medloom/contracts'
import { type AddCommand, collect } from '../command.js'
import { readConfigFile } from '../config/config-file.js'
import { followAsCommand } from '../follow/follow-job.js'
import { type ConnectionOptions, connect } from '../service/connection.js'
import { shortId } from '../terminal/format.js'
import { printJson, printJsonLine, printLine } from '../terminal/print.js'
import { checkAsCommand } from './train-check.js'

interface TrainOptions extends ConnectionOptions {
  config: string
  name?: string
  set?: string[]
  fineTuneFrom?: string
  baselines?: string
  watch?: boolean
  check?: boolean
  keepPaths?: boolean
  json?: boolean
}

export const addTrain: AddCommand = (parent, context, name = 'train') =>
  parent
    .add(name)
    .description('start a training from a configuration in YAML or JSON')
    .requiredOption('-f, --config <file>', 'configuration file; "-" reads standard input')
    .option('-n, --name <name>', 'name of the job (default: the name of the file)')
    .option('-s, --set <key=value>', 'set a key, for example training.epochs=3; repeatable', collect)
    .option(
      '--fine-tune-from <trained>',
      'start from a trained model: a model id, a job id, or the folder of a checkpoint (with a /)',
    )
    .option(
      '--baselines <names>',
      `baselines to fit in addition to the model, separated by commas, or "none": ${BASELINES.join(', ')}`,
    )
    .option('-w, --watch', 'follow the training until it ends')
    .option('--check', 'show problems, and the data, model, memory and time of the training; start nothing')
    .option('--keep-paths', 'send relative paths unchanged; the service resolves them against its first root')
    .note(
      'Relative paths in the file are relative to the folder of the file, those of --set to the current folder.',
    )
    .example(
      'medloom train -f examples/configs/synthetic-fusion.yaml --watch',
      'medloom train -f study/config.yaml --set training.epochs=3 --set model.fusion_type=none',
      'medloom train -f examples/configs/synthetic-fusion.yaml --check',
      'medloom train -f study/config.yaml --baselines logistic_regression,image_only,table_only',
      'medloom train -f study/site-b.yaml --fine-tune-from resnet18_gated_001',
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals() as TrainOptions
      const { config, placeOf } = readConfigFile(options.config, settingsOf(options), {
        keepPaths: options.keepPaths ?? false,
      })
      context.placeOf = placeOf
      const client = connect(options)
      if (options.check) return checkAsCommand(client, config, context, { json: options.json ?? false })
      // The service checks the configuration; its response names every problem, and placeOf the line of each.
      const request = { config, job_name: options.name ?? jobName(options.config) } as never
      const answer = await client.startTraining(request, { idempotencyKey: randomUUID() })
      if (options.watch) {
        if (options.json) printJsonLine(answer)
        else printLine(`job ${answer.job_id}`)
        const following = { json: options.json ?? false, since: 0 }
        context.exitCode = await followAsCommand(client, answer.job_id, following)
      } else if (options.json) printJson(answer)
      else
        printLine(
          `${answer.message}\njob ${answer.job_id}\nTo follow: medloom jobs watch ${shortId(answer.job_id)}`,
        )
    })

/** An option for a key becomes one more setting; quoted, since an id may look like a number. */
function settingsOf({ set = [], fineTuneFrom, baselines }: TrainOptions): string[] {
  const given = [...set]
  if (fineTuneFrom !== undefined) given.push(`model.fine_tune_from=${JSON.stringify(fineTuneFrom)}`)
  if (baselines !== undefined) {
    const names = baselines === 'none' ? [] : baselines.split(',').map((name) => name.trim())
    given.push(`baselines=${JSON.stringify(names)}`)
  }
  return given
}

function jobName(file: string): string {
  const name = basename(file, extname(file)).slice(0, 200)
  return StartRequest.shape.job_name.safeParse(name).success && file !== '-' ? name : 'training'
}
