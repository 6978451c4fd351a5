import { seedsOf } from '@medloom/contracts'
import { type Block, type Cell, paragraph, type Section, table } from '../../document/document.js'
import { metricName } from '../../document/metric-names.js'
import { countOf, DASH, formatCount } from '../../document/numbers.js'
import type { StudyReportInput } from '../../report-input.js'
import { sortBySplit } from '../../sections/data/split-order.js'
import { MEASURED_ON } from './study-text.js'

/** The question, the trainings that answer it, and the cases on which they were measured. */
export function designSection(input: StudyReportInput): Section {
  const { study } = input
  const { config } = study
  const blocks: Block[] = [
    ...(config.question === undefined ? [] : [paragraph(config.question)]),
    paragraph(design(input)),
    table(
      'Variants',
      ['Variant', 'Changes to the base', 'Description'],
      [
        ...config.variants.map(({ name, config: changes, description }): Cell[] => [
          name,
          changesText(changes),
          description ?? DASH,
        ]),
        ...searched(config),
      ],
    ),
  ]
  return { id: 'design', title: 'Question and design', blocks }
}

function searched({ search, folds }: StudyReportInput['study']['config']): Cell[][] {
  if (!search) return []
  const where = folds === null ? 'on validation data' : 'on each fold'
  return [[search.name, `the settings that the search chooses ${where}`, search.description ?? DASH]]
}

/** Number of trainings, with the reason. */
export function design(input: StudyReportInput): string {
  const { config, progress, metric, reference } = input.study
  const seeds = seedsOf(config)
  const search = input.study.search
  const variants = countOf(config.variants.length, 'variant')
  const parts = [
    search ? `(${variants} + ${countOf(search.trials, 'search trial')})` : variants,
    countOf(seeds.length, 'seed'),
    ...(config.folds === null ? [] : [foldsInWords(input)]),
  ]
  const trainings = `${parts.join(' × ')}: ${countOf(progress.total, 'training')}.`
  const specified = `${countOf(config.variants.length, 'model setting')} ${config.variants.length === 1 ? 'was' : 'were'}`
  const settings = search
    ? `${specified} specified before the start; a search tried ${search.asked} more.`
    : `${specified} tried, as specified before the start.`
  const compared =
    config.variants.length > 1 || search
      ? ` Each variant is compared with "${reference}" by ${metricName(metric).label}.`
      : ` The primary metric is ${metricName(metric).label}.`
  return `${trainings} ${settings}${compared} All results are measured on ${MEASURED_ON[input.measuredOn]}.`
}

export function foldsInWords({ study: { config }, results }: StudyReportInput): string {
  const { folds } = config
  if (!folds) return ''
  if (folds.k === undefined)
    return `${countOf(new Set(results.trainings.map(({ fold }) => fold)).size, 'value')} of "${folds.column ?? ''}", each held out once`
  const repeats = folds.repeats ?? 1
  return repeats > 1 ? `${folds.k}-fold cross-validation repeated ${repeats} times` : `${folds.k} folds`
}

function changesText(changes: Readonly<Record<string, unknown>>): string {
  const leaves = (value: unknown, path: string): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path ? `${path}.${key}` : key))
      : [`${path} = ${JSON.stringify(value)}`]
  return leaves(changes, '').join('; ') || 'none'
}

/** Source of the cases, and how they are divided. */
export function dataOfStudySection({ study, results, prepared, measuredOn }: StudyReportInput): Section {
  const { data } = study.config.config
  const patients = results.trainings.some(({ num_patients }) => num_patients !== null)
  const blocks: Block[] = []
  if (prepared)
    blocks.push({
      kind: 'facts',
      caption: 'Data of the first completed training',
      items: [
        {
          term: 'Outcome',
          value: prepared.label_column ?? (prepared.label_columns?.join(', ') || DASH),
          note: prepared.task,
        },
        ...(prepared.classes ? [{ term: 'Classes', value: prepared.classes.join(', ') }] : []),
        {
          term: 'Patient column',
          value: prepared.patient_column ?? 'none; each row counts as one patient',
        },
        { term: 'Image columns', value: prepared.image_columns.join(', ') || 'none' },
        { term: 'Numeric columns', value: prepared.numeric_columns.join(', ') || 'none' },
        { term: 'Categorical columns', value: prepared.categorical_columns.join(', ') || 'none' },
        ...sortBySplit(prepared.splits).map(([split, { cases, patients: people }]) => ({
          term: `Cases, ${split}`,
          value: formatCount(cases),
          ...(people === null ? {} : { note: countOf(people, 'patient') }),
        })),
      ],
    })
  blocks.push(paragraph(divided(measuredOn, data.val_fraction, patients, memberFolds(prepared))))
  return { id: 'data', title: 'Data and splits', blocks }
}

/** Number of table networks that validate on their own folds; 0 if the validation cases select the epoch. */
export function memberFolds(prepared: StudyReportInput['prepared']): number {
  return prepared?.member_validation === 'folds' ? (prepared.members ?? 0) : 0
}

function divided(
  measuredOn: StudyReportInput['measuredOn'],
  validation: number,
  patients: boolean,
  members: number,
): string {
  const grouped = patients ? ' All rows of a patient are in the same part.' : ''
  if (measuredOn === 'held-out')
    return `Training and validation rows of the tables are pooled, and each training holds out one fold. ${
      members > 1
        ? `Each of ${members} networks is trained on the remaining cases except one inner fold, on which its epoch is chosen; scaling and encoding are fitted on all remaining cases.`
        : `Of the remaining cases, ${Math.round(validation * 100)}% are validation cases, on which the epoch is chosen; the model and its preprocessing are fitted on the others.`
    }${grouped} A test split of the tables, if any, is not used.`
  if (measuredOn === 'test')
    return `All trainings use the splits of the tables. The epoch is chosen on the validation split. Each model was evaluated once on the test split, after all trainings had ended.${grouped}`
  return `All trainings use the same training and validation split. There are neither folds nor a test split, so the results are those of the validation split, on which the epoch was chosen.${grouped}`
}
