import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renderInThread } from '@medloom/reports'
import { AppError } from '../../../errors.js'
import { writeTextAtomically } from '../../../storage/files.js'
import { safeName } from '../../project/project-folder.js'
import { contentAt, type NodeExecutor } from '../executor.js'
import { evaluationCountsOf, metricsAt, readEvaluation, trainingOf } from './report-sources.js'

const SUFFIX = { PDF: '.pdf', Word: '.docx', HTML: '.html' } as const

/**
 * A report of the inputs and of the training of the evaluated checkpoint, in the folder `reports` of the project. The
 * bytes depend on these alone, and on how often the model was evaluated on test data, so paths inside the data folder are written relative to it.
 */
export const generateReport: NodeExecutor<'GenerateReport'> = async (task, context) => {
  const { store, project, service } = context
  const { config } = task
  const metrics = metricsAt(task, 'metrics', 'evaluation')
  const plots = contentAt(task, 'plots', 'files')
  const model = contentAt(task, 'model_summary', 'config')
  if (!metrics || !plots || !model)
    throw new AppError('NODE_FAILED', 'Connect the inputs metrics, plots and model_summary')
  const evaluation = await readEvaluation(store, metrics.document)
  const training = await trainingOf(evaluation, service)
  const drawings = plots.files.filter(({ blob }) => blob.suffix === '.svg')
  const input = {
    ...config,
    evaluation,
    headline: metrics.metrics,
    training,
    evaluationCounts: await evaluationCountsOf(evaluation, training?.job.model_id, service),
    plots: await Promise.all(
      drawings.map(async ({ title, blob }) => ({ title, svg: (await store.read(blob)).toString('utf8') })),
    ),
    notDrawn: plots.not_made ?? [],
    modelFacts: model.facts,
    nodeWarnings: context.warningsAbove(task.node),
  }
  const { bytes } = await renderInThread('workflow', relativeTo(service.folder.path, input))
  const suffix = SUFFIX[config.format]
  const { path, place } = await project.output(null, `${safeName(task.node)}${suffix}`, 'reports')
  await mkdir(dirname(path), { recursive: true })
  await writeTextAtomically(path, bytes)
  return {
    report_path: {
      content: {
        content: 'files',
        kind: 'report',
        files: [{ title: `Report (${config.format})`, blob: await store.put(bytes, suffix), path: place }],
      },
      summary: place,
    },
  }
}

/** The same value; paths inside `folder` lose its name. */
function relativeTo<Value>(folder: string, value: Value): Value {
  const prefix = JSON.stringify(`${folder}/`).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(`"${prefix}`, '"')) as Value
}
