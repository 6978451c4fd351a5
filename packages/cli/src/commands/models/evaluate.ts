import { counted, type Evaluation, isOfTask } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { followTask } from '../../follow/follow-task.js'
import { connect } from '../../service/connection.js'
import { number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'

export const addEvaluate: AddCommand = (parent, context, name = 'evaluate') =>
  parent
    .add(name)
    .description('evaluate a model on a table and write a report; Ctrl-C cancels it')
    .argument('<model>', 'model id')
    .option('--csv <file>', "the table (default: the job's test_csv)")
    .option(
      '--split <name>',
      'evaluate the rows with this value in the split column, or all rows if there is no such column',
      'test',
    )
    .option('--checkpoint <folder>', 'checkpoint (default: the best one)')
    .option('--calibrated', 'apply the temperature fitted on validation data')
    .option('--with-images', 'include the images of failure cases in the report')
    .option('--with-saliency', 'include saliency maps (Grad-CAM) of failure cases, and their images')
    .option(
      '--importance [repeats]',
      'measure input importance: permute each input between patients this many times (10)',
      repeatsOf,
    )
    .example(
      'medloom models evaluate resnet18_gated_001',
      'medloom models evaluate resnet18_gated_001 --csv external.csv --json',
      'medloom models evaluate latest --calibrated --with-images',
    )
    .action(async (modelId: string, _, command) => {
      const options = command.optsWithGlobals()
      const evaluation = await followTask(connect(options), 'evaluateModel', {
        model_id: modelId,
        split: options.split,
        ...(options.csv ? { test_csv: fromCurrentFolder(options.csv) } : {}),
        ...(options.calibrated ? { calibrated: true } : {}),
        ...(options.withImages || options.withSaliency ? { with_images: true } : {}),
        ...(options.withSaliency ? { with_saliency: true } : {}),
        ...(options.importance ? { importance: options.importance === true ? {} : options.importance } : {}),
        ...(options.checkpoint ? { checkpoint_path: fromCurrentFolder(options.checkpoint) } : {}),
      })
      if (evaluation) print(options, evaluation, evaluationPage)
      else context.exitCode = EXIT.interrupted
    })

function repeatsOf(text: string): { repeats: number } {
  return { repeats: wholeNumber(text) }
}

/** Text output of an evaluation. */
export function evaluationPage(evaluation: Evaluation): string {
  const { metrics, intervals, task } = evaluation
  const shown = Object.entries(metrics).filter(([name]) => isOfTask(task, name))
  const rows = shown.map(([name, value]) => {
    const interval = intervals[name]
    const range =
      interval && interval.low !== null ? `${number(interval.low)} to ${number(interval.high)}` : UNKNOWN
    return [name, number(value), range, interval?.reason ?? methodOf(interval)]
  })
  const patients =
    evaluation.num_patients === null ? '' : ` of ${counted(evaluation.num_patients, 'patient')}`
  return [
    `${evaluation.model_id} on ${counted(evaluation.num_cases, 'case')}${patients}, split "${evaluation.split}"`,
    '',
    formatTable(['metric', 'value', '95% CI', 'method'], rows),
    '',
    ...(evaluation.baselines.length > 0 ? [...baselineLines(evaluation), ''] : []),
    ...evaluation.warnings.map(({ code, message }) => `warning: ${message} [${code}]`),
    ...(evaluation.test_evaluations > 1
      ? [`This test split was evaluated ${counted(evaluation.test_evaluations, 'time')} with this model.`]
      : []),
    `report: ${evaluation.report_path}`,
  ].join('\n')
}

/** The baselines of its training on the same cases. */
function baselineLines({ baselines }: Evaluation): string[] {
  const rows = baselines.map(({ title, metrics, verdict }) => [
    title,
    `${verdict.metric} ${number(metrics[verdict.metric] ?? null)}`,
    `the model is ${verdict.text}`,
  ])
  return [formatTable(['baseline', 'value', 'comparison'], rows)]
}

function methodOf(interval: Evaluation['intervals'][string] | undefined): string {
  if (!interval) return ''
  return interval.caution ? `${interval.method}; not reliable: ${interval.caution}` : interval.method
}
