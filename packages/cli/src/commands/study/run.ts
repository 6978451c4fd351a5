import { randomUUID } from 'node:crypto'
import { counted, estimateInWords, networksInWords, type StudyPlan } from '@medloom/contracts'
import { type AddCommand, collect } from '../../command.js'
import { readStudyFile } from '../../config/study-file.js'
import { followStudy } from '../../follow/follow-study.js'
import { type ConnectionOptions, connect } from '../../service/connection.js'
import { shortId, UNKNOWN } from '../../terminal/format.js'
import { print, printJson, printJsonLine, printLine } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

interface StudyOptions extends ConnectionOptions {
  file: string
  name?: string
  set?: string[]
  detach?: boolean
  dryRun?: boolean
  keepPaths?: boolean
  json?: boolean
}

export const addStudyRun: AddCommand = (parent, context) =>
  parent
    .add('run')
    .description('start a study from a file in YAML or JSON, and follow it')
    .requiredOption('-f, --file <file>', 'study file; "-" reads standard input')
    .option('-n, --name <name>', 'name of the study (default: the one in the file)')
    .option('-s, --set <key=value>', 'set a key, for example seeds=3; repeatable', collect)
    .option('-d, --detach', 'start the study and do not follow it')
    .option('--dry-run', 'show the trainings of the study, and start nothing')
    .option('--keep-paths', 'send relative paths unchanged; the service resolves them against its first root')
    .note(
      '"config" in the file contains a training configuration, or the path of one. Relative paths are relative to the folder\n' +
        'of the file that contains them, those of --set to the current folder. The exit status is 0 if every training\n' +
        'completed, 1 if a training failed, 6 if the study was stopped.',
    )
    .example(
      'medloom study run -f examples/studies/seeds-and-folds.yaml --dry-run',
      'medloom study run -f study.yaml --set seeds=3 --set config.training.epochs=5',
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals() as StudyOptions
      const { study, placeOf } = readStudyFile(options.file, options.set ?? [], {
        keepPaths: options.keepPaths ?? false,
      })
      if (options.name !== undefined) study.name = options.name
      context.placeOf = placeOf
      const client = connect(options)
      // The service checks the study; its response names every problem, and placeOf the line of each.
      const request = study as never
      if (options.dryRun) return print(options, await client.checkStudy(request), planText)
      const answer = await client.startStudy(request, { idempotencyKey: randomUUID() })
      if (!options.detach) {
        if (options.json) printJsonLine(answer)
        else printLine(`study ${answer.study_id}\n${answer.message}`)
        context.exitCode = await followStudy(client, answer.study_id, { json: options.json ?? false })
      } else if (options.json) printJson(answer)
      else
        printLine(
          `${answer.message}\nstudy ${answer.study_id}\nTo follow: medloom study status ${shortId(answer.study_id)} --watch`,
        )
    })

function planText({
  num_trainings,
  num_networks,
  parallel,
  metric,
  reference,
  trainings,
  time,
}: StudyPlan): string {
  const rows = trainings
    .slice(0, 50)
    .map(({ variant, seed, repeat, fold, trial }) => [
      trial === null ? variant : `${variant} ${trial}`,
      String(seed),
      repeat === null ? UNKNOWN : String(repeat),
      fold === null ? UNKNOWN : String(fold),
    ])
  const rest = num_trainings > rows.length ? [`… and ${num_trainings - rows.length} more`] : []
  return [
    `${counted(num_trainings, 'training')} with ${networksInWords(num_networks)} in total, up to ${parallel} in parallel; compared with "${reference}" by ${metric}`,
    `Time: ${estimateInWords(time) ?? `unknown. ${time.reason}`}`,
    formatTable(['variant', 'seed', 'repeat', 'fold'], rows),
    ...rest,
  ].join('\n')
}
