import { resolve } from 'node:path'
import type { Evaluation, Model } from '@medloom/contracts'
import type { Command } from 'commander'
import { connect } from '../../service/connection.js'
import { age, bytes, headline, number, shortId, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { wholeNumber } from '../jobs/index.js'

export function addModels(program: Command): void {
  const models = program.command('models').description('list or show the registered models')

  models
    .command('ls', { isDefault: true })
    .description('list the models, newest first')
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      const page = await connect(options).listModels({ page_size: Math.min(options.limit, 1000) })
      print(options, page, (list) =>
        list.models.length === 0
          ? 'There are no models yet: a training that ends registers one.'
          : modelTable(list.models),
      )
    })

  models
    .command('show')
    .description('show one model with its checkpoints')
    .argument('<model>', 'model id')
    .action(async (modelId: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getModel({ model_id: modelId }), (model) => {
        const checkpoints = model.checkpoints.map(({ name, epoch, size_bytes, path }) => [
          name,
          String(epoch),
          bytes(size_bytes),
          path,
        ])
        return [
          `model       ${model.model_id}`,
          `task        ${model.task}${model.classes ? `: ${model.classes.join(', ')}` : ''}`,
          `parameters  ${model.parameters.toLocaleString('en')}`,
          `validation  ${headline(model.metrics)}`,
          `job         ${model.job_id} (${model.job_name})`,
          `evaluated   ${model.evaluations} times on a test split`,
          '',
          formatTable(['checkpoint', 'epoch', 'size', 'path'], checkpoints),
        ].join('\n')
      })
    })
}

export function addEvaluation(program: Command): void {
  program
    .command('eval')
    .description('evaluate a model on a table and write a report')
    .argument('<model>', 'model id')
    .option('--csv <file>', "the table (default: the job's test_csv)")
    .option('--split <name>', 'rows whose split column has this value', 'test')
    .option('--checkpoint <folder>', 'checkpoint (default: the best one)')
    .action(async (modelId: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const evaluation = await connect(options).evaluateModel({
        model_id: modelId,
        split: options.split,
        ...(options.csv ? { test_csv: resolve(options.csv) } : {}),
        ...(options.checkpoint ? { checkpoint_path: resolve(options.checkpoint) } : {}),
      })
      print(options, evaluation, evaluationPage)
    })
}

function modelTable(models: readonly Model[]): string {
  const rows = models.map((model) => [
    model.model_id,
    model.task,
    number(model.metrics.val_accuracy),
    number(model.metrics.val_auc),
    shortId(model.job_id),
    age(model.created_at),
  ])
  return formatTable(['model', 'task', 'val_accuracy', 'val_auc', 'job', 'created'], rows)
}

function evaluationPage(evaluation: Evaluation): string {
  const { metrics, intervals } = evaluation
  const rows = Object.entries(metrics).map(([name, value]) => {
    const interval = intervals[name]
    const range =
      interval && interval.low !== null ? `${number(interval.low)} to ${number(interval.high)}` : UNKNOWN
    return [name, number(value), range, interval?.reason ?? interval?.method ?? '']
  })
  const patients = evaluation.num_patients === null ? '' : ` of ${evaluation.num_patients} patients`
  return [
    `${evaluation.model_id} on ${evaluation.num_cases} cases${patients}, split "${evaluation.split}"`,
    '',
    formatTable(['metric', 'value', '95 % interval', 'method'], rows),
    '',
    ...evaluation.warnings.map(({ code, message }) => `warning: ${message} [${code}]`),
    ...(evaluation.test_evaluations > 1
      ? [`This test split was evaluated ${evaluation.test_evaluations} times with this model.`]
      : []),
    `report: ${evaluation.report_path}`,
  ].join('\n')
}
