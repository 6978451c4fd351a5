import type { EvaluationResult, Prepared } from '@medloom/contracts'
import {
  type Block,
  type Cell,
  type Fact,
  type FlowStep,
  numeric,
  paragraph,
  type Section,
  table,
} from '../document.js'
import { DASH, formatCount, formatShare } from '../numbers.js'
import { type ReportInput, subjectResult } from '../report-input.js'

/** Where the cases come from, how they were split, what is missing, and which columns the model saw. */
export function dataSection(input: ReportInput): Section {
  const { job } = input
  const result = subjectResult(input)
  const { prepared } = job
  const blocks: Block[] = [sources(input)]
  if (prepared) blocks.push(splitFlow(prepared))
  else
    blocks.push(
      paragraph(
        'The training ended before the data were prepared: columns, splits and counts are not known.',
      ),
    )
  if (result && result.flow.length > 0) blocks.push(...caseFlow(result))
  if (prepared) blocks.push(splitTable(prepared), ...columnBlocks(prepared))
  if (result) blocks.push(...missingness(result))
  return { id: 'data', title: 'Data', blocks }
}

function sources({ job, subject }: ReportInput): Block {
  const { data } = job.config
  const items: Fact[] = [
    { term: 'Training table', value: data.train_csv },
    {
      term: 'Validation table',
      value: data.val_csv ?? `split from the training table by patient, ${formatShareOf(data.val_fraction)}`,
    },
    { term: 'Test table', value: data.test_csv ?? DASH },
    { term: 'Images', value: data.image_root ?? 'beside the table' },
    ...(subject ? [{ term: 'Evaluated table', value: subject.result.source.csv }] : []),
  ]
  return { kind: 'facts', caption: 'Files', items }
}

function formatShareOf(fraction: number): string {
  return `${(100 * fraction).toFixed(0)} % of the patients`
}

function splitFlow(prepared: Prepared): Block {
  const branches = Object.entries(prepared.splits).map(
    ([name, { cases, patients }]): FlowStep => ({ label: name, counts: counts(cases, patients) }),
  )
  return { kind: 'flow', caption: 'Cases in each split', steps: [], branches }
}

function caseFlow({ flow, split }: EvaluationResult): Block[] {
  const box = ({ step, cases, patients }: (typeof flow)[number]): FlowStep => ({
    label: step,
    counts: counts(cases, patients),
  })
  const tables = flow.filter(({ step }) => step.startsWith('rows of '))
  if (tables.length > 1) {
    // Several tables and splits are no chain: side by side, what was read and what was kept.
    const kept = flow.filter((row) => !tables.includes(row))
    return [
      { kind: 'flow', caption: 'Tables that were read', steps: [], branches: tables.map(box) },
      ...(kept.length > 0
        ? [{ kind: 'flow', caption: 'Cases that were kept', steps: [], branches: kept.map(box) } as const]
        : []),
    ]
  }
  const steps = flow.map((row, index): FlowStep => {
    const lost = (flow[index - 1]?.cases ?? row.cases) - row.cases
    return { ...box(row), ...(lost > 0 ? { left_out: `${formatCount(lost)} cases left out` } : {}) }
  })
  return [{ kind: 'flow', caption: `From the table to the ${split} cases`, steps, branches: [] }]
}

function counts(cases: number, patients: number | null): string {
  return `${formatCount(cases)} cases${patients === null ? '' : `, ${formatCount(patients)} patients`}`
}

function splitTable({ splits, label_column, patient_column }: Prepared): Block {
  const classes = [
    ...new Set(Object.values(splits).flatMap(({ class_counts }) => Object.keys(class_counts ?? {}))),
  ]
  return table(
    'Splits: patients, cases, and cases of each class (share of the split)',
    ['Split', numeric('Patients'), numeric('Cases'), ...classes.map(numeric)],
    Object.entries(splits).map(([name, { cases, patients, class_counts }]): Cell[] => [
      name,
      formatCount(patients),
      formatCount(cases),
      ...classes.map((label) => formatShare(class_counts?.[label] ?? 0, cases)),
    ]),
    [
      `Label: ${label_column}. ${patient_column === null ? 'No patient column: patients are not known, and rows of one patient may stand in several splits.' : `Patients (column ${patient_column}) are never divided between splits.`}`,
    ],
  )
}

function columnBlocks(prepared: Prepared): Block[] {
  const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
  const blocks: Block[] = [
    {
      kind: 'facts',
      caption: 'Columns that the model uses',
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
    blocks.push(table('Columns that the model does not see', ['Column', 'Reason'], ignored))
  return blocks
}

function missingness({ missing, num_cases, split }: EvaluationResult): Block[] {
  const rows = Object.entries(missing)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  const complete = Object.keys(missing).filter((column) => missing[column] === 0)
  const remark = complete.length > 0 ? [`Complete: ${complete.join(', ')}.`] : []
  if (rows.length === 0)
    return Object.keys(missing).length === 0 ? [] : [paragraph(`No value is missing in the ${split} cases.`)]
  return [
    table(
      `Missing values, ${split} split (${formatCount(num_cases)} cases)`,
      ['Column', 'Cases without a value'],
      rows.map(([column, count]): Cell[] => [
        column,
        { text: formatShare(count, num_cases), share: num_cases > 0 ? count / num_cases : 0 },
      ]),
      remark,
    ),
  ]
}

/** All warnings, those of the preparation and those of the evaluation. */
export function warningSection(input: ReportInput): Section | null {
  const { prepared } = input.job
  const seen = new Set<string>()
  const all = [...(prepared?.warnings ?? []), ...(subjectResult(input)?.warnings ?? [])].filter(
    ({ code, message }) => {
      const key = `${code}\n${message}`
      return seen.has(key) ? false : seen.add(key)
    },
  )
  if (!prepared && all.length === 0) return null
  return {
    id: 'warnings',
    title: 'Warnings',
    blocks:
      all.length === 0
        ? [
            paragraph(
              'The checks for leaks, tell-tale columns, constant columns and unreadable images found nothing.',
            ),
          ]
        : all.map(({ code, message }) => ({
            kind: 'notice',
            tone: code.includes('LEAK') ? 'danger' : 'warning',
            title: code,
            text: message,
          })),
  }
}
