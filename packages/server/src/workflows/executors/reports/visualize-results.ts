import { inEnglish, phrase, phraseOfNote } from '@medloom/contracts'
import { renderInThread } from '@medloom/reports'
import { AppError } from '../../../errors.js'
import { placesOfFiles } from '../../outputs/output-place.js'
import { safeName } from '../../project/project-folder.js'
import { contentAt, type NodeExecutor, summarize } from '../executor.js'
import { metricsAt, readEvaluation, readHistory } from './report-sources.js'

/**
 * The plots of an evaluation and a training, each as SVG and as PNG. A plot that is not defined (a regression has no ROC curve) is not
 * drawn; the value, the log and the report contain the reason.
 */
export const visualizeResults: NodeExecutor<'VisualizeResults'> = async (task, { service, store }) => {
  const metrics = metricsAt(task, 'metrics', 'evaluation')
  const matrix = contentAt(task, 'confusion_matrix', 'confusion_matrix')
  if (!metrics || !matrix) throw new AppError('NODE_FAILED', phrase('connect_plot_inputs'))
  const history = metricsAt(task, 'training_history', 'history')
  // A folder that is refused is reported before the plots are drawn.
  const placeOf = await placesOfFiles(service.outputs, task.config.save_path, safeName(task.node))
  const { plots, notDrawn } = await renderInThread('plots', {
    types: task.config.plot_types,
    evaluation: await readEvaluation(store, metrics.document),
    matrix: { classes: matrix.classes, matrix: matrix.matrix },
    history: history && (await readHistory(store, history.document)),
  })

  const files = []
  for (const { name, title, svg, png } of plots) {
    for (const [suffix, content] of [['.svg', svg] as const, ['.png', png] as const]) {
      const blob = await store.put(content, suffix)
      files.push({ title, blob, ...placeOf(`${name}${suffix}`) })
    }
  }
  for (const { title, reason } of notDrawn) {
    const line = [phrase('plot_not_drawn', { plot: noteOf(title), reason: noteOf(reason) })]
    task.warn('PLOT_NOT_DRAWN', inEnglish(line), line)
  }
  const missing = notDrawn.length > 0 ? [phrase('plots_not_defined', { count: notDrawn.length })] : []
  return {
    plots: {
      content: {
        content: 'files',
        kind: 'plots',
        files,
        ...(notDrawn.length > 0 ? { not_made: [...notDrawn] } : {}),
      },
      ...summarize(phrase('plots', { count: plots.length }), ...missing),
    },
  }
}

function noteOf(english: string) {
  const known = phraseOfNote(english)
  return known ? [known] : english
}
