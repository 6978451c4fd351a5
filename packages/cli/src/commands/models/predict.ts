import { writeFile } from 'node:fs/promises'
import type { MedloomClient } from '@medloom/client/node'
import {
  type CasePredictions,
  counted,
  PREDICTION_FORMATS,
  type Prediction,
  type PredictRequest,
} from '@medloom/contracts'
import { type AddCommand, collect } from '../../command.js'
import { EXIT, UsageError } from '../../exit-codes.js'
import { watchTask } from '../../follow/follow-task.js'
import { connect } from '../../service/connection.js'
import { number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { refuseExisting } from '../../workflow-files/write-new-file.js'
import { save } from '../jobs/files.js'
import { inputsOf, readSource } from './predict-input.js'
import { csvOf } from './predictions-csv.js'

export const addPredict: AddCommand = (parent, context, name = 'predict') =>
  parent
    .add(name)
    .description('predict cases without labels; Ctrl-C cancels it')
    .argument('<model>', 'model id or alias')
    .argument('[file...]', 'a table, a folder, or images if the model reads one image of each case')
    .option(
      '--row <column=value>',
      'a value of a case; repeat it for each column. A column that the case already has starts the next case',
      collect,
    )
    .option('--id-column <column>', 'column with the id of each case (default: the patient column)')
    .option('--identifiers', 'show the ids of a table or folder; requires a token that permits it')
    .option('--image-root <folder>', 'folder that image paths are relative to')
    .option('--checkpoint <folder>', 'checkpoint (default: the best one)')
    .option('--uncalibrated', 'do not apply the temperature fitted on validation data')
    .option('--operating-point <rule>', 'rule of an operating point (default: the threshold of the training)')
    .option('--format <format>', `format of the file: ${PREDICTION_FORMATS.join(', ')}`, 'csv')
    .option('-o, --output <file>', 'save the predictions of all cases on this machine')
    .option('--allow-missing-columns', 'predict a table that has fewer than half of the columns of the model')
    .option('--no-trace', 'do not record the request')
    .example(
      'medloom models predict latest new-cases.csv --output predictions.csv',
      'medloom models predict resnet18_gated_001 --row age=54 --row sex=f --row image=scans/1.png',
      'medloom models predict resnet18_none_001 scans/1.png scans/2.png --json',
    )
    .action(async (model_id: string, files: string[], _, command) => {
      const options = command.optsWithGlobals()
      if (options.output) refuseExisting(options.output)
      const client = connect(options)
      const source = await readSource(files, options.row ?? [], () => inputsOf(client, model_id))
      if (source.rows && options.output && options.format === 'parquet')
        throw new UsageError(
          'Single cases are saved as csv or json.',
          'Use --format csv or --format json, or predict a table.',
        )
      const answer = await client.predictCases({
        ...{ model_id, ...source, format: options.format },
        ...(options.identifiers ? { identifiers: 'true' as const } : {}),
        ...(options.idColumn ? { id_column: options.idColumn } : {}),
        ...(options.imageRoot ? { image_root: fromCurrentFolder(options.imageRoot) } : {}),
        ...(options.checkpoint ? { checkpoint_path: fromCurrentFolder(options.checkpoint) } : {}),
        ...(options.uncalibrated ? { calibrated: false } : {}),
        ...(options.operatingPoint ? { operating_point: options.operatingPoint } : {}),
        ...(options.allowMissingColumns ? { allow_missing_columns: true } : {}),
        ...(options.trace ? {} : { trace: false }),
      })
      const predictions = 'task_id' in answer ? await watchTask<'predictCases'>(client, answer) : answer
      if (predictions === null || 'task_id' in predictions) {
        context.exitCode = EXIT.interrupted
        return
      }
      if (options.output)
        await saveAll(client, predictions, options.format, fromCurrentFolder(options.output))
      print(options, predictions, predictionsPage)
    })

/** The file of the service, or the predictions of single cases, which have no file. */
async function saveAll(
  client: MedloomClient,
  predictions: CasePredictions,
  format: PredictRequest['format'],
  output: string,
): Promise<void> {
  const { prediction_id, file } = predictions
  if (file !== null) await save(await client.download('getPredictionFile', { prediction_id }), output)
  else
    await writeFile(output, format === 'json' ? jsonOf(predictions.predictions) : csvOf(predictions), {
      flag: 'wx',
    })
}

function jsonOf(predictions: readonly Prediction[]): string {
  return `${JSON.stringify(predictions, null, 2)}\n`
}

/** Text output of predictions: the cases, then what they are based on. */
export function predictionsPage(result: CasePredictions): string {
  const { predictions, num_cases, num_failed, model_id, alias, file, hidden, warnings } = result
  const title = `${model_id}${alias === null ? '' : ` (${alias})`}, ${counted(num_cases, 'case')}`
  const more = num_cases - predictions.length
  return [
    num_failed === 0 ? title : `${title}, ${counted(num_failed, 'case')} without a prediction`,
    '',
    ...(hidden
      ? ['A silent follow-up of the model is open: the predictions are stored, but hidden.', '']
      : []),
    formatTable(['case', 'predicted', 'probability', 'set', 'warnings'], predictions.map(cellsOf)),
    ...(more > 0 ? [`${counted(more, 'more case')}${hidden ? '' : ' in the file'}`] : []),
    '',
    ...explanationsOf(predictions),
    ...warnings.map(({ code, message }) => `warning: ${message} [${code}]`),
    ...basisLines(result),
    ...(file === null ? [] : [`file: ${file}`]),
  ].join('\n')
}

function cellsOf({
  row,
  id,
  predicted,
  probabilities,
  set,
  interval,
  risk,
  warnings,
  error,
}: Prediction): string[] {
  const name = id ?? String(row)
  if (error) return [name, 'error', UNKNOWN, UNKNOWN, error.code]
  const codes = warnings.map(({ code }) => code).join(', ')
  if (typeof predicted === 'number')
    return [
      ...[name, number(predicted), UNKNOWN],
      interval ? `${number(interval.low)} to ${number(interval.high)}` : UNKNOWN,
      codes,
    ]
  if (predicted === null)
    return [name, risk === null ? UNKNOWN : `risk ${number(risk)}`, UNKNOWN, UNKNOWN, codes]
  const shown = Array.isArray(predicted) ? predicted : [predicted]
  const probable = shown.map((one) => number(probabilities?.[one])).join(', ')
  return [name, shown.join(', ') || 'none', probable || UNKNOWN, set?.join(', ') ?? UNKNOWN, codes]
}

/** Each message of a case once, with the number of its cases. */
function explanationsOf(predictions: readonly Prediction[]): string[] {
  const count = new Map<string, number>()
  for (const { warnings, error } of predictions) {
    const found = [
      ...warnings.map((one) => ['warning', one] as const),
      ...(error ? [['error', error] as const] : []),
    ]
    for (const [kind, { code, message }] of found) {
      const line = `${kind}: ${message} [${code}]`
      count.set(line, (count.get(line) ?? 0) + 1)
    }
  }
  return [...count].map(([line, cases]) => (cases === 1 ? line : `${line} (${counted(cases, 'case')})`))
}

function basisLines({ basis, performance, recorded }: CasePredictions): string[] {
  const { training_cases, temperature, operating_point, threshold, coverage } = basis
  const interval = performance?.interval
  const range =
    interval && interval.low !== null ? ` (95% CI ${number(interval.low)} to ${number(interval.high)})` : ''
  return [
    performance
      ? `test performance  ${performance.metric} ${number(performance.value)}${range} on ${counted(performance.num_cases, 'case')}`
      : 'test performance  unknown: the model was never evaluated on a test split',
    `trained on        ${training_cases === null ? UNKNOWN : counted(training_cases, 'case')}`,
    `temperature       ${temperature === null ? 'not applied' : number(temperature)}`,
    ...(threshold === null
      ? []
      : [`threshold         ${number(threshold)} (${operating_point ?? 'default'})`]),
    ...(coverage === null ? [] : [`sets              coverage ${number(coverage, 2)}`]),
    `intended use      ${basis.intended_use ?? 'not written'}`,
    `recorded          ${recorded ? 'yes, without values of the cases' : 'no'}`,
    'For research use only.',
  ]
}
