import { firstTexts, phrase } from '@medloom/contracts'
import { renderInThread } from '@medloom/reports'
import { AppError } from '../../../errors.js'
import { safeName } from '../../project/project-folder.js'
import { contentAt, type NodeExecutor, summarize } from '../executor.js'
import { implicitOf, relativeTo } from '../implicit-inputs.js'
import { metricsAt, readEvaluation, readFailureImages } from './report-sources.js'

const SUFFIX = { PDF: '.pdf', Word: '.docx', HTML: '.html' } as const

/**
 * A report of the inputs and of the training of the evaluated checkpoint, in the folder `reports` of the project. The bytes depend only on
 * the inputs and the implicit inputs, so paths inside the data folder are written relative to it.
 */
export const generateReport: NodeExecutor<'GenerateReport'> = async (task, context) => {
  const { store, service } = context
  const { config } = task
  const metrics = metricsAt(task, 'metrics', 'evaluation')
  const plots = contentAt(task, 'plots', 'files')
  const model = contentAt(task, 'model_summary', 'config')
  if (!metrics || !plots || !model) throw new AppError('NODE_FAILED', phrase('connect_report_inputs'))
  const evaluation = await readEvaluation(store, metrics.document)
  const drawings = plots.files.filter(({ blob }) => blob.suffix === '.svg')
  const training = implicitOf(task, 'training_record')
  const input = {
    ...config,
    evaluation,
    headline: metrics.metrics,
    training,
    workflowName: implicitOf(task, 'workflow_name'),
    texts: firstTexts(config.report, training?.job.config.report, implicitOf(task, 'dataset_texts')),
    failureImages: config.with_images ? await readFailureImages(store, metrics) : null,
    evaluationCounts: implicitOf(task, 'evaluation_counts'),
    plots: await Promise.all(
      drawings.map(async ({ title, blob }) => ({ title, svg: (await store.read(blob)).toString('utf8') })),
    ),
    notDrawn: plots.not_made ?? [],
    modelFacts: model.facts,
    nodeWarnings: implicitOf(task, 'warnings_above'),
  }
  const { bytes } = await renderInThread('workflow', relativeTo(service.folder.path, input))
  const suffix = SUFFIX[config.format]
  const path = `reports/${safeName(task.node)}${suffix}`
  return {
    report_path: {
      content: {
        content: 'files',
        kind: 'report',
        files: [{ title: `Report (${config.format})`, blob: await store.put(bytes, suffix), path }],
      },
      ...summarize(phrase('name', { name: path })),
    },
  }
}
