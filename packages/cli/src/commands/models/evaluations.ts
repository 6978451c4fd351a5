import type { EvaluationDocument, EvaluationRecord } from '@medloom/contracts'
import { counted, EPOCH_HEADLINE, isOfTask } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age, number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addEvaluations: AddCommand = (parent) =>
  parent
    .add('evaluations')
    .description('list the evaluations of one model or of all models, newest first')
    .argument('[model]', 'model id')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom models evaluations', 'medloom models evaluations resnet18_gated_001 --json')
    .action(async (model: string | undefined, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'evaluations', (query) =>
        model === undefined
          ? client.listEvaluations(query)
          : client.listModelEvaluations({ model_id: model, ...query }),
      )
      print(options, page, ({ evaluations, next_page_token }) =>
        evaluations.length === 0
          ? 'There are no evaluations. Evaluate a model: medloom models evaluate <model>'
          : evaluationTable(evaluations) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

export const addEvaluationShow: AddCommand = (parent) =>
  parent
    .add('evaluation')
    .description('show the results of an evaluation with its data, checkpoint and versions')
    .argument('<evaluation>', 'evaluation id; validation-<job id> for the validation results of a training')
    .example('medloom models evaluation validation-3be0c1de-4f57-4c9e-9d3b-1f2a60d1f4a7')
    .action(async (evaluation_id: string, _, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getEvaluation({ evaluation_id }), evaluationDocumentPage)
    })

function evaluationTable(evaluations: readonly EvaluationRecord[]): string {
  const rows = evaluations.map(
    ({ evaluation_id, model_id, job_name, split, num_cases, metrics, test_evaluations, created_at }) => [
      evaluation_id,
      model_id ?? job_name,
      split,
      String(num_cases),
      HEADLINES.filter((name) => typeof metrics[name] === 'number')
        .map((name) => `${name} ${number(metrics[name])}`)
        .join('  '),
      test_evaluations === null ? UNKNOWN : String(test_evaluations),
      age(created_at),
    ],
  )
  return formatTable(['evaluation', 'model', 'split', 'cases', 'metrics', 'uses', 'measured'], rows)
}

/** An evaluation concerns a single split, so its metric names do not contain the split, unlike those of an epoch. */
const HEADLINES = [
  ...new Set(
    Object.values(EPOCH_HEADLINE)
      .flat()
      .map((name) => name.replace(/^val_/, '')),
  ),
]

/** Text output of a stored evaluation. */
export function evaluationDocumentPage(document: EvaluationDocument): string {
  const { evaluation_id, job_id, job_name, split, result, test_uses } = document
  const { source, metrics, notes, intervals, task, software, warnings } = result
  const rows = Object.entries(metrics)
    .filter(([name]) => isOfTask(task, name))
    .map(([name, value]) => {
      const { low = null, high = null, method = '', reason = null } = intervals[name] ?? {}
      const range = low === null || high === null ? UNKNOWN : `${number(low)} to ${number(high)}`
      return [name, number(value), range, (value === null ? notes[name] : reason) ?? method]
    })
  const patients = result.num_patients === null ? '' : ` of ${counted(result.num_patients, 'patient')}`
  return [
    `evaluation  ${evaluation_id}`,
    `cases       ${result.num_cases}${patients}, split "${split}"`,
    `table       ${source.csv}`,
    `data        ${source.digest}`,
    `checkpoint  ${source.checkpoint} (${source.checkpoint_digest})`,
    `job         ${job_id} (${job_name})`,
    ...(test_uses ? [`test data   evaluated on ${counted(test_uses.evaluations, 'time')}`] : []),
    `versions    ${Object.entries(software)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
    '',
    formatTable(['metric', 'value', '95% CI', ''], rows),
    ...warnings.map(({ code, message }) => `warning: ${message} [${code}]`),
  ].join('\n')
}
