import type { NodeConfig } from '@medloom/contracts'
import { readChart } from '../charts/read-chart.js'
import {
  type Block,
  type Fact,
  type Figure,
  type Notice,
  numeric,
  paragraph,
  type ReportDocument,
  type Section,
  table,
} from '../document/document.js'
import { formatMetric, metricName } from '../document/metric-names.js'
import { DASH, formatCount } from '../document/numbers.js'
import type { WorkflowReportInput } from '../report-input.js'
import { limitationSection } from '../sections/closing.js'
import { dataSection, warningSection } from '../sections/data.js'
import { agreementFigures } from '../sections/figures.js'
import { configurationSection, methodSection, trainingSection } from '../sections/method.js'
import { modelSummaryBlocks } from '../sections/model-summary.js'
import { LOOKS_ADD_UP, leakNotices, metricFacts, purposeSection } from '../sections/overview.js'
import { failureSection, performanceSection, subgroupSection } from '../sections/performance.js'

type SectionName = NodeConfig<'GenerateReport'>['include_sections'][number]
type Template = Record<SectionName, (input: WorkflowReportInput) => readonly (Section | null)[]>

/** Of the short template: as many as fit beside each other. */
const SHORT_FIGURES = 3
const SHORT_METRICS = 6

/** The report of a workflow, in no format yet. Sections come in the order of the template: results first, method after. */
export function composeWorkflowReport(given: WorkflowReportInput): ReportDocument {
  const input = { ...given, evaluation: withHeadline(given) }
  const { evaluation, training, template, include_sections: wanted } = input
  const brief = template === 'short'
  const parts = Object.entries(brief ? SHORT : STANDARD) as [SectionName, Template[SectionName]][]
  const sections = parts.filter(([name]) => wanted.includes(name)).flatMap(([, write]) => write(input))
  return {
    title: `Evaluation on the ${evaluation.split} split`,
    kicker: 'Workflow report',
    summary: wanted.includes('summary') ? overview(input) : [],
    notices: notices(input),
    sections: [...sections, brief ? null : provenance(input)].filter((section) => section !== null),
    footer: `Written by Medloom. ${training ? `Trained by job ${training.job.job_id}. ` : ''}Checkpoint sha256 ${evaluation.source.checkpoint_digest}; table and images sha256 ${evaluation.source.digest}. Every number was read from the files of the run; "–" means that there is none. Research use only: not a medical device.`,
    brief,
  }
}

/** Under which name an evaluation of two classes keeps what people call so. */
const SAME_AS: Readonly<Record<string, string>> = { precision: 'ppv', recall: 'sensitivity' }

/** The evaluation with the metrics of the headline among its own, and what is known of them under another name. */
function withHeadline({ evaluation, headline }: WorkflowReportInput): WorkflowReportInput['evaluation'] {
  const { metrics, intervals, notes, per_class } = evaluation
  const added = { metrics: { ...metrics }, intervals: { ...intervals }, notes: { ...notes } }
  for (const [key, value] of Object.entries(headline)) {
    if (key in metrics) continue
    added.metrics[key] = value
    const other = per_class === null ? (SAME_AS[key] ?? key) : key
    if (intervals[other]) added.intervals[key] = intervals[other]
    if (value === null) added.notes[key] = notes[other] ?? 'it is not defined for every class'
  }
  return { ...evaluation, ...added }
}

/** Without a metric that is listed under its other name anyway. */
function withoutTwins(evaluation: WorkflowReportInput['evaluation']): WorkflowReportInput['evaluation'] {
  const { metrics, per_class } = evaluation
  const isTwin = (key: string) => per_class === null && (SAME_AS[key] ?? '') in metrics
  return {
    ...evaluation,
    metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTwin(key))),
  }
}

const STANDARD: Template = {
  summary: () => [],
  performance: ({ evaluation, training }) => [
    performanceSection(withoutTwins(evaluation), sameModel(evaluation, training?.validation ?? null)),
    subgroupSection(evaluation),
    failureSection(evaluation),
  ],
  figures: (input) => [
    figureSection(input, [...plotFigures(input), ...agreementFigures(input.evaluation, '')]),
  ],
  data: ({ evaluation, training, nodeWarnings }) => [
    warningSection(training?.job.prepared ?? null, evaluation, nodeWarnings),
    dataSection({ job: training?.job ?? null, result: evaluation, ofTraining: false }),
  ],
  model: ({ training, modelFacts }) => {
    const method = training ? methodSection(training) : null
    const summary = modelSummaryBlocks(modelFacts)
    return [{ id: 'model', title: 'Model', blocks: [...(method?.blocks ?? []), ...summary] }]
  },
  training: ({ training }) =>
    training ? [trainingSection(training), configurationSection(training)] : [unknownTraining()],
  limitations: ({ evaluation, training }) => [
    limitationSection({ job: training?.job ?? null, result: evaluation, ofTraining: false }),
    purposeSection(),
  ],
}

const SHORT: Template = {
  summary: () => [],
  performance: (input) => [{ id: 'performance', title: 'Performance', blocks: [mainMetrics(input)] }],
  figures: (input) => [figureSection(input, mainFigures(input))],
  data: (input) => [facts('data', 'Data', dataFacts(input)), warningSection(null, null, input.nodeWarnings)],
  model: (input) => [facts('model', 'Model', modelFacts(input))],
  training: ({ training }) => {
    if (!training) return [unknownTraining()]
    const [run] = trainingSection(training).blocks
    return run?.kind === 'facts' ? [facts('training', 'Training', run.items)] : []
  },
  limitations: ({ evaluation, training }) => {
    const { blocks, ...section } = limitationSection({
      job: training?.job ?? null,
      result: evaluation,
      ofTraining: false,
    })
    return [{ ...section, blocks: blocks.filter(({ kind }) => kind === 'list') }]
  },
}

function overview({ evaluation, training, headline }: WorkflowReportInput): Fact[] {
  const { num_cases, num_patients, split, task, classes } = evaluation
  const model = training?.job.config.model
  const chosen = Object.keys(headline)
  const shown = chosen.length > 0 ? chosen : Object.keys(evaluation.metrics)
  return [
    {
      term: 'Task',
      value: task,
      ...(classes ? { note: `${classes.length} classes` } : {}),
    },
    {
      term: 'Model',
      value: training?.job.model_id ?? DASH,
      ...(model ? { note: `${model.vision_backbone} + ${model.fusion_type}` } : {}),
    },
    {
      term: `Cases, ${split} split`,
      value: formatCount(num_cases),
      ...(num_patients === null ? {} : { note: `${formatCount(num_patients)} patients` }),
    },
    ...metricFacts(evaluation, shown.slice(0, 5)),
  ]
}

function notices({ evaluation, training, encounters }: WorkflowReportInput): Notice[] {
  const found = leakNotices(training?.job ?? null, evaluation)
  const seen = training?.validation
  if (evaluation.split !== 'test' && seen?.source.digest === evaluation.source.digest)
    found.push({
      kind: 'notice',
      tone: 'warning',
      title: 'Validation, not test.',
      text: 'The training chose its best epoch on these cases, so these figures are optimistic.',
    })
  if (evaluation.split === 'test' && encounters && encounters.test > 1)
    found.push({
      kind: 'notice',
      tone: 'warning',
      title: `This model met test data ${formatCount(encounters.test)} times, these ${formatCount(encounters.split)}.`,
      text: LOOKS_ADD_UP,
    })
  for (const text of training?.unreadable ?? [])
    found.push({ kind: 'notice', tone: 'warning', title: 'A file of the run could not be read.', text })
  return found
}

/** The validation results, if they are of the checkpoint that is evaluated here on something else. */
function sameModel(
  { source, split }: WorkflowReportInput['evaluation'],
  validation: WorkflowReportInput['evaluation'] | null,
) {
  return validation?.source.checkpoint_digest === source.checkpoint_digest && split !== validation.split
    ? validation
    : null
}

function plotFigures({ plots }: WorkflowReportInput): Figure[] {
  return plots.flatMap(({ title, svg }) => {
    const chart = readChart(svg, title)
    return chart ? [{ chart, table: null }] : []
  })
}

/** What the evaluation shows before how the training went. */
function mainFigures(input: WorkflowReportInput): Figure[] {
  const plots = plotFigures(input)
  const isLearning = ({ chart }: Figure) => chart.name.startsWith('learning-curve')
  return [
    ...plots.filter((figure) => !isLearning(figure)),
    ...agreementFigures(input.evaluation, ''),
    ...plots.filter(isLearning),
  ].slice(0, SHORT_FIGURES)
}

/** Drawings, and why others are missing. */
function figureSection({ plots, notDrawn }: WorkflowReportInput, figures: readonly Figure[]): Section {
  const strange = plots.filter(({ title, svg }) => readChart(svg, title) === null)
  const missing = [
    ...notDrawn.map(({ title, reason }) => `${title}: ${reason}.`),
    ...strange.map(({ title }) => `${title}: this file is not a drawing of this software.`),
  ]
  const blocks: Block[] = figures.length > 0 ? [{ kind: 'figures', figures }] : []
  if (missing.length > 0) blocks.push(paragraph('Not drawn:'), { kind: 'list', items: missing })
  if (blocks.length === 0) blocks.push(paragraph('No plot arrived.'))
  return { id: 'figures', title: 'Figures', blocks }
}

function mainMetrics({ evaluation, headline }: WorkflowReportInput): Block {
  const chosen = Object.keys(headline)
  const keys = [...new Set([...chosen, ...Object.keys(evaluation.metrics)])].slice(
    0,
    Math.max(SHORT_METRICS, chosen.length),
  )
  return table(
    `Performance, ${evaluation.split} split`,
    ['Metric', numeric('Estimate'), numeric('95 % interval'), 'Method, or why there is no number'],
    keys.map((key) => {
      const value = evaluation.metrics[key] ?? null
      const interval = evaluation.intervals[key]
      const known = interval && interval.low !== null && interval.high !== null ? interval : null
      return [
        metricName(key).label,
        formatMetric(key, value),
        known ? `${formatMetric(key, known.low)} to ${formatMetric(key, known.high)}` : DASH,
        known?.method ?? evaluation.notes[key] ?? interval?.reason ?? DASH,
      ]
    }),
  )
}

function dataFacts({ evaluation, training }: WorkflowReportInput): Fact[] {
  const { class_counts, num_cases, num_patients, missing } = evaluation
  const splits = Object.entries(training?.job.prepared?.splits ?? {})
  const incomplete = Object.values(missing).filter((count) => count > 0).length
  const patients = (count: number | null) => (count === null ? '' : `, ${formatCount(count)} patients`)
  return [
    ...splits.map(([name, split]) => ({
      term: `Cases, ${name} (training)`,
      value: `${formatCount(split.cases)}${patients(split.patients)}`,
    })),
    { term: 'Cases, evaluated', value: `${formatCount(num_cases)}${patients(num_patients)}` },
    ...(class_counts
      ? [
          {
            term: 'Cases of each class, evaluated',
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

function unknownTraining(): Section {
  const text = 'The job that trained this model is not known here: its epochs and settings cannot be told.'
  return { id: 'training', title: 'Training', blocks: [paragraph(text)] }
}

function facts(id: string, title: string, items: readonly Fact[]): Section {
  return { id, title, blocks: [{ kind: 'facts', caption: '', items }] }
}

/** From every number back to the job, the checkpoint and the data. */
function provenance({ evaluation, training, encounters }: WorkflowReportInput): Section {
  const { source, software } = evaluation
  const items: Fact[] = [
    { term: 'Job', value: training?.job.job_id ?? DASH },
    { term: 'Checkpoint', value: source.checkpoint, note: `sha256 ${source.checkpoint_digest}` },
    {
      term: 'Evaluations of this split',
      value: formatCount(encounters?.split),
      note: 'by this model, until this report was made',
    },
    { term: 'Evaluations of any test data', value: formatCount(encounters?.test), note: 'by this model' },
    { term: 'Evaluated table', value: source.csv, note: `sha256 of table and images ${source.digest}` },
    ...Object.entries(training?.job.prepared?.data_digests ?? {}).map(([split, digest]) => ({
      term: `Data of the training, ${split}`,
      value: `sha256 ${digest}`,
    })),
  ]
  return {
    id: 'provenance',
    title: 'Provenance',
    blocks: [
      { kind: 'facts', caption: 'Origin of every number', items },
      table(
        'Software',
        ['Package', 'Version'],
        Object.entries(software).map(([name, version]) => [name, version]),
      ),
    ],
  }
}
