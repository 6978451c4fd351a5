import { type EvaluationResult, SMALL_CELL } from '@medloom/contracts'
import {
  type Block,
  type Cell,
  numeric,
  paragraph,
  type Section,
  type Table,
  table,
} from '../document/document.js'
import { formatMetric, isBounded, isShare, metricName } from '../document/metric-names.js'
import { countOf, DASH, formatCount, formatShare, formatUnit } from '../document/numbers.js'
import { type Interval, intervalText, withInterval } from './interval-cells.js'
import { patientBlocks } from './patient-level.js'

/** Estimates with intervals, per class, and the confusion matrix; `validation`: results of the same model on validation, in an additional column. */
export function performanceSection(result: EvaluationResult, validation: EvaluationResult | null): Section {
  const blocks: Block[] = [
    paragraph(introduction(result)),
    metricTable(result, validation),
    ...(result.per_class ? perClassTables(result.task, result.per_class) : []),
    ...(result.confusion_matrix && result.classes
      ? [confusionTable(result.confusion_matrix, result.classes)]
      : []),
    ...patientBlocks(result),
  ]
  return { id: 'performance', title: `Performance on the ${result.split} split`, blocks }
}

function introduction(result: EvaluationResult): string {
  const patients = result.num_patients === null ? '' : ` of ${countOf(result.num_patients, 'patient')}`
  const cases = `${countOf(result.num_cases, 'case')}${patients}`
  const reason = result.threshold_reason ?? null
  const chosen =
    reason === null
      ? 'the threshold chosen on the validation split'
      : `the default, because no threshold could be chosen on the validation split (${reason})`
  const defaults = reason === null ? '' : ` Some labels have the default of 0.5 instead (${reason}).`
  const threshold =
    result.task === 'multilabel'
      ? ` Each label has its own threshold, chosen on the validation split; cells without a label are excluded.${defaults}`
      : result.threshold === null
        ? ''
        : ` A case is classified as "${result.positive_class ?? ''}" if its probability is at least ${formatUnit(result.threshold)}, ${chosen}.`
  return `Measured on ${cases}.${predictor(result)} 95% CI: 95% confidence interval; the last column states its method.${threshold}`
}

/** The predictions that the results of an ensemble belong to; empty if one network predicts. */
function predictor({ disagreement, out_of_fold = false }: EvaluationResult): string {
  if (out_of_fold)
    return ' Each case is predicted by the members that did not train on it. The results are those of these predictions, not of single members.'
  if (!disagreement) return ''
  return ` The results are those of the mean prediction of ${countOf(disagreement.members, 'member')}, not of single members.`
}

function metricTable(result: EvaluationResult, validation: EvaluationResult | null): Table {
  const rows = Object.entries(result.metrics).map(([key, value]): Cell[] => {
    const interval = result.intervals[key]
    return [
      metricName(key).label,
      formatMetric(key, value),
      intervalText(key, interval),
      forestCell(key, value, interval),
      ...(validation ? [formatMetric(key, validation.metrics[key])] : []),
      intervalNote(interval, value === null ? (result.notes[key] ?? 'undefined') : null),
    ]
  })
  const meanings = Object.keys(result.metrics)
    .map((key) => metricName(key, result.task))
    .filter(({ meaning }) => meaning !== '')
    .map(({ label, meaning }) => `${label}: ${meaning}`)
  return table(
    `Performance, ${result.split} split`,
    [
      'Metric',
      numeric('Estimate'),
      numeric('95% CI'),
      'Plot',
      ...(validation ? [numeric('Validation')] : []),
      'Method, or reason for a missing value',
    ],
    rows,
    [
      'Plots range from 0 to 1 (kappa, R² and correlations: −1 to 1); the dashed line marks the middle. Metrics without a bounded scale are not plotted.',
      `${meanings.join('. ')}.`,
    ],
  )
}

/** Method and cautions, or the reason for a missing number or interval. */
export function intervalNote(interval: Interval | undefined, undefinedBecause: string | null): string {
  if (undefinedBecause !== null) return undefinedBecause
  if (!interval) return DASH
  if (interval.low === null) return interval.reason ?? DASH
  return interval.caution ? `${interval.method}; not reliable: ${interval.caution}` : interval.method
}

function forestCell(key: string, estimate: number | null, interval: Interval | undefined): Cell {
  const { label } = metricName(key)
  if (!isBounded(key) || estimate === null) return { text: '', forest: null }
  const { low = null, high = null } = interval ?? {}
  return {
    text: `${label} ${formatMetric(key, estimate)}`,
    forest: { estimate, low, high, min: isShare(key) ? 0 : -1, max: 1 },
  }
}

type Classes = NonNullable<EvaluationResult['per_class']>

/** Metrics of calibration and probability error, in a separate table from ranking and classification. */
const OF_PROBABILITIES = ['brier', 'calibration_slope', 'calibration_intercept']

export function perClassTables(task: EvaluationResult['task'], classes: Classes): Table[] {
  const keys = [...new Set(classes.flatMap(({ metrics }) => Object.keys(metrics)))]
  if (task !== 'multilabel') return [perClassTable('Each class vs. rest: estimate (95% CI)', classes, keys)]
  const decided = keys.filter((key) => !OF_PROBABILITIES.includes(key))
  return [
    table(
      'Labels: cases and thresholds',
      ['Label', numeric('Positive cases'), numeric('Labeled cases'), numeric('Threshold')],
      classes.map(({ name, cases, labelled, threshold }) => [
        name,
        formatCount(cases),
        formatCount(labelled),
        formatUnit(threshold),
      ]),
    ),
    perClassTable('Each label: estimate (95% CI)', classes, decided),
    perClassTable('Probabilities of each label: estimate (95% CI)', classes, OF_PROBABILITIES),
  ]
}

function perClassTable(caption: string, classes: Classes, keys: readonly string[]): Table {
  const remarks = new Map<string, Map<string, string[]>>()
  const rows = classes.map(({ name, cases, metrics, intervals }): Cell[] => [
    name,
    formatCount(cases),
    ...keys.map((key) => {
      const interval = intervals[key]
      const remark = interval?.reason ?? (interval?.caution ? `not reliable: ${interval.caution}` : null)
      if (remark) noteOn(remarks, remark, name, metricName(key).label)
      return withInterval(key, metrics[key], interval)
    }),
  ])
  return table(
    caption,
    ['Class', numeric('Cases'), ...keys.map((key) => numeric(metricName(key).label))],
    rows,
    [...remarks].map(([remark, named]) => remarkText(remark, named, classes.length, keys.length)),
  )
}

function noteOn(
  remarks: Map<string, Map<string, string[]>>,
  remark: string,
  name: string,
  metric: string,
): void {
  const named = remarks.get(remark) ?? new Map<string, string[]>()
  remarks.set(remark, named.set(name, [...(named.get(name) ?? []), metric]))
}

/** Each remark once, with its classes and metrics; classes with the same metrics are listed together. */
function remarkText(
  remark: string,
  named: ReadonlyMap<string, readonly string[]>,
  classes: number,
  metrics: number,
): string {
  const groups = new Map<string, string[]>()
  for (const [name, metricNames] of named) {
    const about = metricNames.length === metrics ? 'all metrics' : metricNames.join(', ')
    groups.set(about, [...(groups.get(about) ?? []), name])
  }
  const places = [...groups].map(
    ([about, names]) => `${names.length === classes ? 'all classes' : names.join(', ')} (${about})`,
  )
  const text = `${remark}: ${places.join('; ')}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function confusionTable(matrix: readonly (readonly number[])[], classes: readonly string[]): Table {
  return table(
    'Confusion matrix: cases (share of the true class)',
    ['True class', ...classes.map((name) => numeric(`Predicted: ${name}`)), numeric('Total')],
    matrix.map((row, index): Cell[] => {
      const total = row.reduce((sum, value) => sum + value, 0)
      return [classes[index] ?? '', ...row.map((value) => formatShare(value, total)), formatCount(total)]
    }),
  )
}

type Subgroup = EvaluationResult['subgroups'][number]

const WITHHELD = `A count from 1 to ${SMALL_CELL - 1} may reveal the outcome of a patient: it is withheld ("${DASH}"), as are the values from which it could be computed. `

/** Subgroups of patients, each with its size. Small counts are withheld. */
export function subgroupSection(result: EvaluationResult): Section {
  const { subgroups } = result
  if (subgroups.length === 0)
    return {
      id: 'subgroups',
      title: 'Subgroups',
      blocks: [
        paragraph(
          'Performance in subgroups was not measured: no column for sex, age or site was found. Name columns in data.subgroup_columns.',
        ),
      ],
    }
  const keys = [...new Set(subgroups.flatMap(({ metrics }) => Object.keys(metrics)))]
  const events = subgroups.some((group) => group.events !== null)
  const patients = subgroups.some((group) => typeof group.patients === 'number')
  const withheld = subgroups.some((group) => group.withheld)
  return {
    id: 'subgroups',
    title: 'Subgroups',
    blocks: [
      paragraph(
        `Groups that are too small to report are listed with their size only. ${withheld ? WITHHELD : ''}Groups whose intervals overlap may still differ. The more groups are compared, the more differences occur by chance.`,
      ),
      table(
        `Performance by subgroup, ${result.split} split: estimate (95% CI)`,
        [
          'Group',
          numeric('Cases'),
          ...(patients ? [numeric('Patients')] : []),
          ...(events ? [numeric('Events')] : []),
          ...keys.map((key) => numeric(metricName(key).label)),
          'Note',
        ],
        [total(result), ...subgroups].map((one): Cell[] => [
          one.column === '' ? one.group : `${one.column}: ${joined(one.group)}`,
          formatCount(one.cases),
          ...(patients ? [formatCount(one.patients)] : []),
          ...(events ? [formatCount(one.events)] : []),
          ...keys.map((key) => withInterval(key, one.metrics[key], one.intervals?.[key])),
          one.column === '' ? DASH : subgroupNote(one),
        ]),
      ),
    ],
  }
}

/** `18 to < 40`, without a line break between the sign and its number. */
function joined(group: string): string {
  return group.replace(/([<>≤≥]) (?=[\d.-])/g, '$1\u00a0')
}

/** All cases, for comparison with each group. */
function total(result: EvaluationResult): Subgroup {
  const { positive_class, class_counts } = result
  return {
    column: '',
    group: 'All cases',
    cases: result.num_cases,
    patients: result.num_patients,
    withheld: null,
    events: positive_class ? (class_counts?.[positive_class] ?? null) : null,
    metrics: result.metrics,
    intervals: result.intervals,
    reason: null,
  }
}

function subgroupNote({ reason, metrics, intervals, withheld }: Subgroup): string {
  if (withheld && reason === null) return 'withheld'
  if (reason !== null)
    return Object.values(metrics).some((value) => value !== null) ? reason : `too few to report: ${reason}`
  const cautions = Object.values(intervals ?? {}).flatMap(({ caution }) => caution ?? [])
  return cautions.length > 0 ? `intervals not reliable: ${[...new Set(cautions)].join('; ')}` : DASH
}
