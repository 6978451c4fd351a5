import { csvLine, type PredictionRecord } from '@medloom/contracts'
import { addGroup, type MedloomCommand, wholeNumber } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { listUpTo, pages } from '../../service/pages.js'
import { age, UNKNOWN } from '../../terminal/format.js'
import { print, printJsonLine, printLine } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

const EXPORTS = ['jsonl', 'csv']

export function addPredictions(program: MedloomCommand): void {
  const predictions = addGroup(program, 'predictions', 'list or export the records of predictions', 'ls')
  predictions
    .add('ls')
    .description('list the records of predictions, newest first')
    .option('--model <id>', 'only predictions of this model')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom predictions ls', 'medloom predictions ls --model resnet18_gated_001 --json')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'predictions', (query) =>
        client.listPredictions({ ...query, ...filterOf(options) }),
      )
      print(options, page, ({ predictions, next_page_token }) =>
        predictions.length === 0
          ? 'There are no records. Predict cases: medloom models predict <model>'
          : tableOf(predictions) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })
  predictions
    .add('export')
    .description('write all records of predictions, newest first')
    .option('--model <id>', 'only predictions of this model')
    .option('--format <format>', 'jsonl: one JSON document per record; csv: one line per record', 'jsonl')
    .example('medloom predictions export > predictions.jsonl', 'medloom predictions export --format csv')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      if (!EXPORTS.includes(options.format))
        throw new UsageError(`The format ${options.format} is unknown.`, `Use ${EXPORTS.join(' or ')}.`)
      const client = connect(options)
      const all = pages(Number.MAX_SAFE_INTEGER, 'predictions', (query) =>
        client.listPredictions({ ...query, ...filterOf(options) }),
      )
      if (options.format === 'csv') printLine(csvLine(COLUMNS))
      for await (const { predictions } of all)
        for (const record of predictions)
          if (options.format === 'csv') printLine(recordLine(record))
          else printJsonLine(record)
    })
}

function filterOf({ model }: { readonly model?: string }) {
  return model === undefined ? {} : { model_id: model }
}

function tableOf(predictions: readonly PredictionRecord[]): string {
  const rows = predictions.map((record) => [
    ...[record.prediction_id, record.model_id, record.kind],
    ...[String(record.num_cases), String(record.num_failed)],
    ...[record.owner ?? UNKNOWN, record.warnings.join(', '), age(record.created_at)],
  ])
  return formatTable(
    ['prediction', 'model', 'kind', 'cases', 'failed', 'user', 'warnings', 'predicted'],
    rows,
  )
}

const COLUMNS = [
  ...['prediction_id', 'created_at', 'owner', 'model_id', 'alias', 'checkpoint_digest', 'software_digest'],
  ...['kind', 'num_cases', 'num_failed', 'input_digests', 'outputs', 'warnings'],
] as const satisfies readonly (keyof PredictionRecord)[]

/** Lists are JSON in their cell. */
export function recordLine(record: PredictionRecord): string {
  return csvLine(
    COLUMNS.map((column) => {
      const value = record[column]
      return value !== null && typeof value === 'object' ? JSON.stringify(value) : value
    }),
  )
}
