import { type EvaluationResult, type NodeConfig, PHRASES } from '@medloom/contracts'
import type { Figure } from '../document/document.js'
import type { EpochRecord } from '../report-input.js'
import { learningFigures } from '../sections/figures/learning-figures.js'
import {
  agreementFigures,
  confusionFigure,
  prFigure,
  rocFigure,
} from '../sections/figures/performance-figures.js'

export type PlotType = NodeConfig<'VisualizeResults'>['plot_types'][number]

export interface PlotInput {
  readonly types: readonly PlotType[]
  readonly evaluation: EvaluationResult
  /** Rows: true classes, columns: predicted classes; null: the task has no classes. */
  readonly matrix: { readonly classes: string[] | null; readonly matrix: number[][] | null }
  /** Null: no history is connected. */
  readonly history: readonly EpochRecord[] | null
}

export interface Plots {
  readonly plots: readonly { readonly name: string; readonly title: string; readonly svg: string }[]
  /** Plots that are not defined, with the reason, instead of empty images. */
  readonly notDrawn: readonly { readonly title: string; readonly reason: string }[]
}

/** Class plots are undefined for a regression; corresponding regression plots replace them. */
const OF_CLASSES: ReadonlySet<PlotType> = new Set(['confusion_matrix', 'roc_curve', 'pr_curve'])

/** Charts of an evaluation and a training, in the requested order. */
export function drawPlots(input: PlotInput): Plots {
  const agreement = input.evaluation.task === 'regression' ? agreementFigures(input.evaluation, '') : []
  const replaced = agreement.length > 0 ? input.types.filter((type) => OF_CLASSES.has(type)) : []
  const outcomes = input.types.flatMap((type): { title: string; outcome: readonly Figure[] | string }[] => {
    if (!replaced.includes(type)) return [{ title: TITLES[type], outcome: DRAW[type](input) }]
    return type === replaced[0] ? [{ title: PHRASES.plot_agreement, outcome: agreement }] : []
  })
  return {
    plots: outcomes
      .flatMap(({ outcome }) => (typeof outcome === 'string' ? [] : outcome))
      .map(({ chart }) => ({ name: chart.name, title: chart.title, svg: chart.standalone })),
    notDrawn: outcomes.flatMap(({ title, outcome }) =>
      typeof outcome === 'string' ? [{ title, reason: outcome }] : [],
    ),
  }
}

const TITLES: Record<PlotType, string> = {
  confusion_matrix: PHRASES.plot_confusion,
  roc_curve: PHRASES.plot_roc,
  pr_curve: PHRASES.plot_pr,
  learning_curve: PHRASES.plot_learning,
}

/** Figures of each plot, or the reason why there are none. */
const DRAW: Record<PlotType, (input: PlotInput) => readonly Figure[] | string> = {
  confusion_matrix: ({ matrix: { matrix, classes }, evaluation }) =>
    matrix && classes ? [confusionFigure(matrix, classes, '')] : undefinedFor(evaluation, 'accuracy'),
  roc_curve: ({ evaluation }) =>
    evaluation.roc?.length ? [rocFigure(evaluation.roc, evaluation, '')] : undefinedFor(evaluation, 'auc'),
  pr_curve: ({ evaluation }) =>
    evaluation.pr?.length
      ? [prFigure(evaluation.pr, evaluation, '')]
      : undefinedFor(evaluation, 'auprc', 'auc'),
  learning_curve: ({ history }) => {
    if (history === null) return PHRASES.note_no_history
    const figures = learningFigures(history, null)
    return figures.length > 0 ? figures : PHRASES.note_empty_history
  },
}

/** Reason in the evaluation for an undefined metric of the plot. */
function undefinedFor({ task, notes }: EvaluationResult, ...metrics: readonly string[]): string {
  const noted = metrics.map((key) => notes[key]).find((note) => note !== undefined)
  if (noted !== undefined) return noted
  return task === 'regression' ? PHRASES.note_regression_classes : PHRASES.note_no_curve
}
