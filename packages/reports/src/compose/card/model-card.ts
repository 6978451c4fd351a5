import { type Fold, type ReportTexts, WARNINGS } from '@medloom/contracts'
import { type Block, type Fact, paragraph, type Section } from '../../document/document.js'
import { metricName } from '../../document/metric-names.js'
import { formatTime } from '../../document/numbers.js'
import { type ReportInput, subjectResult } from '../../report-input.js'
import { baselineSection } from '../../sections/baselines.js'
import { limitationSection } from '../../sections/closing.js'
import { columnBlocks, splitTable } from '../../sections/data/data.js'
import { missingInTraining, treatmentOf } from '../../sections/data/missing-values.js'
import { ensembleSection } from '../../sections/ensemble.js'
import { hyperparameters, methodSection } from '../../sections/method.js'
import { notices } from '../../sections/overview.js'
import { performanceSection, subgroupSection } from '../../sections/performance.js'
import { dataFacts } from '../../sections/provenance.js'
import { softwareTable } from '../../sections/software.js'
import { operatingPointBlocks } from '../../sections/use/operating-points.js'
import { predictionSetBlocks } from '../../sections/use/prediction-sets.js'
import { temperatureBlocks } from '../../sections/use/temperature.js'
import { inputOfTask } from '../task-metrics.js'
import { blank } from './author-texts.js'
import { aboutNewestTest, testingIn } from './evaluated.js'
import { type CardMetadata, metadataOf } from './metadata.js'

type Blocks = readonly Block[]

/**
 * Content of a model card, independent of its form. It contains no file names and no values of patients, because a card is published with
 * the model.
 */
export interface ModelCard {
  readonly id: string
  /** Title that the authors or the user gave. */
  readonly title: string
  readonly createdAt: string
  readonly summary: string
  readonly metadata: CardMetadata
  readonly texts: ReportTexts
  /** Description of the cases of the results, in a sentence. */
  readonly testing: string
  readonly outputs: Blocks
  readonly inputs: Blocks
  readonly missing: Blocks
  readonly data: Blocks
  readonly preprocessing: Blocks
  readonly training: Blocks
  readonly pretrained: Blocks
  readonly factors: Blocks
  readonly metrics: Blocks
  readonly performance: Blocks
  readonly subgroups: Blocks
  readonly calibration: Blocks
  readonly thresholds: Blocks
  readonly cautions: Blocks
  readonly limitations: Blocks
  readonly reproducibility: Blocks
  readonly software: Blocks
}

/** Plain data in, the same content out: only what the run recorded and what the authors wrote. */
export function composeModelCard(given: ReportInput): ModelCard {
  const input = aboutNewestTest(inputOfTask(forOthers(given)))
  const { job, texts } = input
  const title = texts.study_title ?? job.job_name
  return {
    id: input.model?.model_id ?? job.model_id ?? job.job_id,
    title,
    createdAt: input.model?.created_at ?? job.ended_at ?? job.created_at,
    summary: summaryOf(input),
    metadata: metadataOf(input, title),
    texts,
    testing: testingIn(input),
    ...methodOf(input),
    ...resultsOf(input),
    cautions: [...notices(input), ...warningsOf(input)],
    limitations: limitationSection({
      job,
      result: subjectResult(input),
      ofTraining: input.subject === null,
      texts,
    }).blocks,
    reproducibility: [{ kind: 'facts', caption: 'Origin', items: originOf(input) }],
    software: softwareOf(input),
  }
}

/**
 * The input without what is only for the place of the data: the path of a local file of weights, and the value of a column that a fold holds
 * out, which may name a patient.
 */
function forOthers(input: ReportInput): ReportInput {
  const { config, ensemble } = input.job
  const { data, model } = config
  const pretrained = typeof model.pretrained === 'string' ? 'a local file' : model.pretrained
  const { job_name, fold } = withoutValue({ job_name: input.job.job_name, fold: data.fold })
  const job = {
    ...{ ...input.job, job_name },
    config: { ...config, data: { ...data, fold }, model: { ...model, pretrained } },
  }
  if (!ensemble) return { ...input, job }
  return { ...input, job: { ...job, ensemble: { ...ensemble, members: ensemble.members.map(withoutValue) } } }
}

/** A training of a study is named after its fold. */
function withoutValue<T extends { readonly job_name: string; readonly fold: Fold | null }>(training: T): T {
  const { job_name, fold } = training
  if (!fold || !('value' in fold)) return training
  return { ...training, job_name: job_name.replaceAll(fold.value, '…'), fold: { ...fold, value: '…' } }
}

/** `A model for classification that predicts "label" (benign, malignant) from images and columns of a table.` */
function summaryOf({ job, model }: ReportInput): string {
  const { prepared } = job
  const task = prepared?.task ?? model?.task ?? job.config.model.task ?? 'prediction'
  if (!prepared) return `A model for ${task}.`
  const label = prepared.label_columns?.join(', ') ?? prepared.label_column ?? ''
  const inputs = [
    ...(prepared.image_columns.length > 0 ? ['images'] : []),
    ...(prepared.numeric_columns.length + prepared.categorical_columns.length > 0
      ? ['columns of a table']
      : []),
  ]
  const kind = job.ensemble ? `An ensemble of ${job.ensemble.members.length} models` : 'A model'
  const classes = prepared.classes && !prepared.label_columns ? ` (${prepared.classes.join(', ')})` : ''
  return `${kind} for ${task} that predicts "${label}"${classes} from ${inputs.join(' and ')}.`
}

function methodOf(input: ReportInput) {
  const { job } = input
  const { prepared } = job
  const [fitted, preprocessing, network] = methodSection(input).blocks
  const given = (block: Block | undefined): Blocks => (block ? [block] : [])
  return {
    outputs: [{ kind: 'facts', caption: 'Outputs', items: outputsOf(input) }] satisfies Blocks,
    inputs: prepared ? columnBlocks({ ...prepared, ignored_columns: {} }) : [],
    missing: prepared && !job.ensemble ? missingOf(job) : [],
    data: dataOf(input),
    preprocessing: job.ensemble
      ? [paragraph('Each member applies the preprocessing of its own training.')]
      : [...given(fitted), ...given(preprocessing)],
    training: job.ensemble
      ? (ensembleSection(job)?.blocks ?? [])
      : [...given(network), hyperparameters(job.config)],
    pretrained: pretrainedOf(input),
  }
}

function outputsOf({ job, model }: ReportInput): Fact[] {
  const { prepared } = job
  const label = prepared?.label_columns?.join(', ') ?? prepared?.label_column
  return [
    { term: 'Task', value: prepared?.task ?? model?.task ?? job.config.model.task ?? 'unknown' },
    ...(label ? [{ term: 'Label', value: label }] : []),
    ...(prepared?.classes ? [{ term: 'Classes', value: prepared.classes.join(', ') }] : []),
    ...(prepared?.positive_class ? [{ term: 'Positive class', value: prepared.positive_class }] : []),
  ]
}

/** Number of missing values, and their treatment even if there were none in the training. */
function missingOf(job: ReportInput['job']): Blocks {
  const counted = missingInTraining(job)
  const isTold = counted.some(({ kind }) => kind === 'table')
  return isTold ? counted : [...counted, paragraph(treatmentOf(job.config.data))]
}

function dataOf(input: ReportInput): Block[] {
  const { prepared } = input.job
  const splits = prepared && Object.keys(prepared.splits).length > 0
  const digests = [...dataFacts(input), ...evaluatedData(input)]
  return [
    ...(splits ? [splitTable(prepared, input.subject?.result ?? null)] : []),
    ...(digests.length > 0
      ? [{ kind: 'facts', caption: 'Digests of the data', items: digests } as const]
      : []),
  ]
}

function evaluatedData({ subject }: ReportInput): Fact[] {
  if (!subject) return []
  const { split, source } = subject.result
  return [{ term: `Evaluated data, ${split}`, value: `SHA-256 ${source.digest}` }]
}

/** Weights that the training started from; their license is known only to the authors. */
function pretrainedOf({ job }: ReportInput): Block[] {
  const { pretrained, vision_backbone } = job.config.model
  if (job.ensemble)
    return [
      paragraph('The model cards of the members describe the weights that their trainings started from.'),
    ]
  if (!job.fine_tuned_from && (pretrained === false || vision_backbone === 'none'))
    return [paragraph('No pretrained weights were used.')]
  const origin = job.fine_tuned_from
    ? `The training started from the model ${job.fine_tuned_from.model_id ?? job.fine_tuned_from.checkpoint_digest}; see its model card.`
    : pretrained === true
      ? `The vision backbone started from the pretrained weights of timm for ${vision_backbone}.`
      : `The vision backbone ${vision_backbone} started from pretrained weights in a local file.`
  return [
    paragraph(origin),
    blank('License of pretrained weights', 'License of the weights that the training started from.'),
  ]
}

const NO_RESULTS = {
  factors: [],
  metrics: [],
  performance: [],
  subgroups: [],
  calibration: [],
  thresholds: [],
} satisfies Partial<ModelCard>

function resultsOf(input: ReportInput) {
  const result = subjectResult(input)
  if (!result) return NO_RESULTS
  const { temperature, operating_points: points, conformal } = result
  const fittedHere = result.warnings.some(({ code }) => code === 'CHOSEN_ON_THIS_SPLIT')
  const factors = [...new Set(result.subgroups.map(({ column }) => column))]
  return {
    factors: factors.length > 0 ? [paragraph(`Subgroups: ${factors.join(', ')}.`)] : [],
    metrics: [
      { kind: 'list', items: Object.keys(result.metrics).map((key) => metricName(key).label) },
    ] satisfies Blocks,
    performance: [...performanceSection(result, null).blocks, ...inText(baselineSection(result))],
    subgroups: subgroupSection(result).blocks,
    calibration: [
      ...(temperature ? temperatureBlocks(temperature, fittedHere) : []),
      ...(conformal ? predictionSetBlocks(conformal, result, fittedHere) : []),
    ],
    thresholds: points ? operatingPointBlocks(points, result) : [],
  }
}

/** A section under its title, without its figures: a card is a single file. */
function inText(section: Section | null): Block[] {
  if (!section) return []
  const blocks = section.blocks.filter(({ kind }) => kind !== 'figures')
  return [{ kind: 'heading', text: section.title }, ...blocks]
}

/** Meaning and remedy of each warning. Their messages may quote values of the table, which a card does not contain. */
function warningsOf(input: ReportInput): Block[] {
  const all = [...(input.job.prepared?.warnings ?? []), ...(subjectResult(input)?.warnings ?? [])]
  const codes = [...new Set(all.map(({ code }) => code))]
  return codes.map((code) => {
    const known = Object.hasOwn(WARNINGS, code) ? WARNINGS[code] : null
    const tone = code.includes('LEAK') ? 'danger' : 'warning'
    return {
      kind: 'notice',
      tone,
      title: known?.meaning ?? code,
      text: known ? `${known.remedy} (${code})` : 'The report of the run contains the details.',
    }
  })
}

function originOf(input: ReportInput): Fact[] {
  const { job, model, checkpoints, subject } = input
  const digest =
    checkpoints.find(({ name }) => name === 'best')?.digest ||
    subjectResult(input)?.source.checkpoint_digest ||
    null
  return [
    { term: 'Training run', value: job.job_id },
    { term: 'Model registered', value: formatTime(model?.created_at ?? job.ended_at) },
    ...(digest ? [{ term: 'Weights', value: `SHA-256 ${digest}` }] : []),
    { term: 'Seed', value: String(job.config.training.seed) },
    { term: 'Deterministic algorithms', value: job.config.training.deterministic ? 'yes' : 'no' },
    { term: 'Device', value: job.device ?? job.prepared?.device ?? 'unknown' },
    ...(subject
      ? [{ term: 'Evaluation', value: subject.evaluation_id, note: formatTime(subject.evaluated_at) }]
      : []),
  ]
}

function softwareOf(input: ReportInput): Block[] {
  const result = subjectResult(input)
  return result
    ? [softwareTable(result.software)]
    : [paragraph('Software versions are not available because no result was written.')]
}
