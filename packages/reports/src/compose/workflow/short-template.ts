import { type Block, type Fact, type Figure, numeric, type Section, table } from '../../document/document.js'
import { formatMetric, metricName } from '../../document/metric-names.js'
import { countOf, DASH, formatCount } from '../../document/numbers.js'
import type { WorkflowReportInput } from '../../report-input.js'
import { baselineSummary } from '../../sections/baselines.js'
import { limitationSection } from '../../sections/closing.js'
import { failureSection } from '../../sections/failure-cases.js'
import { trainingSection } from '../../sections/method.js'
import { modelSummaryBlocks } from '../../sections/model-summary.js'
import { intervalNote } from '../../sections/performance.js'
import { warningSection } from '../../sections/warnings.js'
import { figureSection, reportFigures } from './figure-section.js'
import { type Template, unknownTraining } from './template.js'

/** Limits of the short template: as many as fit in one row. */
const SHORT_FIGURES = 3
const SHORT_METRICS = 6

export const SHORT: Template = {
  summary: () => [],
  performance: (input) => [
    {
      id: 'performance',
      title: 'Performance',
      blocks: [mainMetrics(input), ...baselineSummary(input.evaluation)],
    },
    input.failureImages && failureSection(input.evaluation, input.failureImages),
  ],
  figures: (input) => [figureSection(input, mainFigures(input))],
  data: (input) => [facts('data', 'Data', dataFacts(input)), warningSection(null, null, input.nodeWarnings)],
  model: (input) => [facts('model', 'Model', modelFacts(input))],
  training: ({ training }) => {
    if (!training) return [unknownTraining()]
    const [run] = trainingSection(training).blocks
    return run?.kind === 'facts' ? [facts('training', 'Training', run.items)] : []
  },
  limitations: ({ evaluation, training, texts }) => {
    const { blocks, ...section } = limitationSection({
      job: training?.job ?? null,
      result: evaluation,
      ofTraining: false,
      texts,
    })
    const isShown = ({ kind }: Block) => kind === 'list' || (kind === 'statements' && texts.limitations)
    return [{ ...section, blocks: blocks.filter(isShown) }]
  },
}

/** Charts of the evaluation before those of the training. */
function mainFigures(input: WorkflowReportInput): Figure[] {
  const { connected, agreement } = reportFigures(input)
  const isLearning = ({ chart }: Figure) => chart.name.startsWith('learning-curve')
  return [
    ...connected.filter((figure) => !isLearning(figure)),
    ...agreement,
    ...connected.filter(isLearning),
  ].slice(0, SHORT_FIGURES)
}

function mainMetrics({ evaluation, headline }: WorkflowReportInput): Block {
  const chosen = Object.keys(headline)
  const keys = [...new Set([...chosen, ...Object.keys(evaluation.metrics)])].slice(
    0,
    Math.max(SHORT_METRICS, chosen.length),
  )
  return table(
    `Performance, ${evaluation.split} split`,
    ['Metric', numeric('Estimate'), numeric('95% CI'), 'Method, or reason for a missing value'],
    keys.map((key) => {
      const value = evaluation.metrics[key] ?? null
      const interval = evaluation.intervals[key]
      const known = interval && interval.low !== null && interval.high !== null ? interval : null
      return [
        metricName(key).label,
        formatMetric(key, value),
        known ? `${formatMetric(key, known.low)} to ${formatMetric(key, known.high)}` : DASH,
        intervalNote(interval, value === null ? (evaluation.notes[key] ?? interval?.reason ?? DASH) : null),
      ]
    }),
  )
}

function dataFacts({ evaluation, training }: WorkflowReportInput): Fact[] {
  const { class_counts, num_cases, num_patients, missing } = evaluation
  const splits = Object.entries(training?.job.prepared?.splits ?? {})
  const incomplete = Object.values(missing).filter((count) => count > 0).length
  const patients = (count: number | null) => (count === null ? '' : `, ${countOf(count, 'patient')}`)
  return [
    ...splits.map(([name, split]) => ({
      term: `Cases, ${name} (training)`,
      value: `${formatCount(split.cases)}${patients(split.patients)}`,
    })),
    { term: 'Evaluated cases', value: `${formatCount(num_cases)}${patients(num_patients)}` },
    ...(class_counts
      ? [
          {
            term: 'Evaluated cases per class',
            value: Object.entries(class_counts)
              .map(([name, count]) => `${name} ${formatCount(count)}`)
              .join(', '),
          },
        ]
      : []),
    { term: 'Columns with missing values', value: `${incomplete} of ${Object.keys(missing).length}` },
  ]
}

function modelFacts({ training, modelFacts: summary }: WorkflowReportInput): Fact[] {
  const { config, prepared } = training?.job ?? {}
  if (!config)
    return modelSummaryBlocks(summary).flatMap((block) => (block.kind === 'facts' ? block.items : []))
  return [
    { term: 'Vision backbone', value: config.model.vision_backbone },
    { term: 'Fusion', value: config.model.fusion_type },
    { term: 'Pretrained weights', value: String(config.model.pretrained) },
    {
      term: 'Parameters',
      value: formatCount(prepared?.parameters),
      note: `${formatCount(prepared?.trainable_parameters)} trainable`,
    },
  ]
}

function facts(id: string, title: string, items: readonly Fact[]): Section {
  return { id, title, blocks: [{ kind: 'facts', caption: '', items }] }
}
