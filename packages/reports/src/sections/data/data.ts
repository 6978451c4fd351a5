import {
  type EvaluationResult,
  type Fold,
  foldInWords,
  type Job,
  type Prepared,
  type WarningCode,
} from '@medloom/contracts'
import {
  type Block,
  type Cell,
  type Fact,
  numeric,
  paragraph,
  type Section,
  table,
} from '../../document/document.js'
import { DASH, formatCount, formatShare } from '../../document/numbers.js'
import { counts, evaluationFlow, trainingFlow } from './case-flow.js'
import { missingInEvaluation, missingInTraining } from './missing-values.js'
import { sortBySplit } from './split-order.js'

/** Subject of the section: data of a training, of an evaluation, or of both. */
interface DataFacts {
  readonly job: Job | null
  readonly result: EvaluationResult | null
  /** The result belongs to the training's own validation or fold, not to an evaluation. */
  readonly ofTraining: boolean
}

/** Source of the cases, splits, missing values, and the columns that the model reads. */
export function dataSection({ job, result, ofTraining }: DataFacts): Section {
  const blocks: Block[] = []
  if (job) blocks.push(sources(job, ofTraining ? null : result))
  const prepared = job?.prepared ?? null
  // Each member of an ensemble divided the cases in its own way.
  const divided = prepared !== null && Object.keys(prepared.splits).length > 0
  if (divided) blocks.push(splitFlow(prepared))
  else if (!prepared)
    blocks.push(
      paragraph(
        job
          ? 'The training ended before the data were prepared, so columns, splits and counts are not available.'
          : 'This service has no record of the job that trained this model, so its tables, columns and splits are not available.',
      ),
    )
  if (result) blocks.push(...(job && ofTraining ? trainingFlow(result, job) : evaluationFlow(result)))
  blocks.push(...volumes(job, ofTraining ? null : result))
  if (divided) blocks.push(splitTable(prepared, ofTraining ? null : result))
  if (prepared) blocks.push(...columnBlocks(prepared))
  if (job) blocks.push(...missingInTraining(job))
  // The missing values of the validation cases are already included in those of the training.
  if (result && !(ofTraining && job?.prepared?.missing)) blocks.push(...missingInEvaluation(result))
  return { id: 'data', title: 'Data', blocks }
}

function sources({ config: { data }, prepared }: Job, evaluated: EvaluationResult | null): Block {
  const rows = (split: 'val' | 'test') =>
    `rows of the training table with ${prepared?.split_column} = ${split}`
  const within = (split: 'val' | 'test') =>
    prepared?.split_column && prepared.splits[split] ? rows(split) : null
  const items: Fact[] = [
    { term: 'Training table', value: data.train_csv },
    { term: 'Validation table', value: validationTable(data, within('val')) },
    ...(data.fold ? [heldOutFact(data.fold)] : []),
    { term: 'Test table', value: data.test_csv ?? within('test') ?? DASH },
    { term: 'Images', value: data.image_root ?? 'in the folder of the table' },
    ...(evaluated ? [{ term: 'Evaluated table', value: evaluated.source.csv }] : []),
  ]
  return { kind: 'facts', caption: 'Files', items }
}

function validationTable(data: Job['config']['data'], within: string | null): string {
  const taken = `by patient (${formatShareOf(data.val_fraction)})`
  if (!data.fold) return data.val_csv ?? within ?? `taken from the training table ${taken}`
  const rows = data.val_csv ? `${data.val_csv}, pooled with the training table; ` : ''
  return `${rows}taken from the cases that are not held out ${taken}`
}

/** Held-out cases of a cross-validation fold, and how they were drawn. */
function heldOutFact(fold: Fold): Fact {
  const drawn =
    'value' in fold ? 'rows with this value' : `stratified, grouped by patient and image, seed ${fold.seed}`
  return { term: 'Held out', value: foldInWords(fold), note: drawn }
}

/** Conversion of volumes to views, as the trainer describes it; empty if no image is a volume. */
function volumes(job: Job | null, evaluated: EvaluationResult | null): Block[] {
  const items = [
    { term: 'Training', message: volumesIn(job?.prepared?.warnings) },
    { term: 'Evaluation', message: volumesIn(evaluated?.warnings) },
  ].flatMap(({ term, message }): Fact[] => (message ? [{ term, value: message }] : []))
  return items.length > 0 ? [{ kind: 'facts', caption: 'Volumes', items }] : []
}

function volumesIn(warnings: Prepared['warnings'] = []): string | undefined {
  return warnings.find(({ code }) => code === ('VOLUMES_AS_SLICES' satisfies WarningCode))?.message
}

function formatShareOf(fraction: number): string {
  return `${(100 * fraction).toFixed(0)}% of the patients`
}

function splitFlow(prepared: Prepared): Block {
  const lanes = sortBySplit(prepared.splits).map(([name, { cases, patients }]) => [
    { label: name, counts: counts(cases, patients) },
  ])
  return { kind: 'flow', caption: 'Cases in each split', steps: [], lanes }
}

/** Patients, cases and classes of each split. */
export function splitTable(
  { task, splits, label_column, label_columns, patient_column }: Prepared,
  evaluated: EvaluationResult | null,
): Block {
  const classes = [
    ...new Set(Object.values(splits).flatMap(({ class_counts }) => Object.keys(class_counts ?? {}))),
  ]
  return table(
    'Splits: patients, cases, and cases per class (share of the split)',
    ['Split', numeric('Patients'), numeric('Cases'), ...classes.map(numeric)],
    sortBySplit(splits).map(([name, { cases, patients, class_counts }]): Cell[] => [
      name,
      formatCount(patients),
      formatCount(cases),
      ...classCells(classes, class_counts ?? countedIn(evaluated, name, cases), cases),
    ]),
    [
      `${labelText(task, label_column, label_columns)} ${patient_column === null ? 'The table has no patient column, so rows of one patient may be in several splits.' : `All cases of a patient (column ${patient_column}) are in the same split.`}`,
    ],
  )
}

function labelText(
  task: Prepared['task'],
  column: string | null,
  columns: readonly string[] | null | undefined,
): string {
  if (!columns) return `Label: ${column}.`
  if (task === 'survival') return `Outcome: time ${columns[0]}, event indicator ${columns[1]}.`
  return `Binary labels: ${columns.join(', ')}; the count of a label is its number of positive cases.`
}

/** Columns that the model reads, and the others with the reason. */
export function columnBlocks(prepared: Prepared): Block[] {
  const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
  const blocks: Block[] = [
    {
      kind: 'facts',
      caption: 'Columns that the model reads',
      items: [
        { term: 'Image columns (views)', value: list(prepared.image_columns) },
        { term: 'Numeric columns', value: list(prepared.numeric_columns) },
        { term: 'Categorical columns', value: list(prepared.categorical_columns) },
        { term: 'Split column', value: prepared.split_column ?? 'none' },
      ],
    },
  ]
  const ignored = Object.entries(prepared.ignored_columns)
  if (ignored.length > 0)
    blocks.push(table('Columns that the model does not read', ['Column', 'Reason'], ignored))
  return blocks
}

function classCells(classes: readonly string[], counts: Record<string, number> | null, cases: number) {
  return classes.map((name) => (counts ? formatShare(counts[name] ?? 0, cases) : DASH))
}

/** Class counts of a test split: its training never reads the labels, an evaluation of all its cases counts them. */
function countedIn(evaluated: EvaluationResult | null, split: string, cases: number) {
  return evaluated?.split === split && evaluated.num_cases === cases ? evaluated.class_counts : null
}
