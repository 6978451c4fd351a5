import type { EvaluationResult } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, table } from '../document/document.js'
import { metricName } from '../document/metric-names.js'
import { countOf, formatCount } from '../document/numbers.js'
import { withInterval } from './interval-cells.js'

type PatientLevel = NonNullable<EvaluationResult['patient_level']>
type Aggregation = PatientLevel['aggregations'][number]

/** Metrics per row and per patient; empty if every patient has one row. */
export function patientBlocks(result: EvaluationResult): Block[] {
  const { patient_level } = result
  const measured = patient_level?.aggregations.filter(({ reason }) => reason === null) ?? []
  if (!patient_level || measured.length === 0) return []
  const keys = [...new Set(measured.flatMap(({ metrics }) => Object.keys(metrics)))]
  return [
    { kind: 'heading', text: 'Results per patient' },
    paragraph(introduction(patient_level, result.threshold !== null)),
    table(
      `Results per row and per patient, ${result.split} split: estimate (95% CI)`,
      [
        'Metric',
        numeric(countOf(result.num_cases, 'row')),
        ...measured.map(({ name, patients }) => numeric(`${countOf(patients, 'patient')}, ${name}`)),
      ],
      keys.map((key): Cell[] => [
        metricName(key).label,
        withInterval(key, result.metrics[key], result.intervals[key]),
        ...measured.map(({ metrics }) => withInterval(key, metrics[key]?.estimate, metrics[key])),
      ]),
      remarks(measured),
    ),
  ]
}

function introduction(
  { patients, with_several_rows, disagreeing, aggregations }: PatientLevel,
  decides: boolean,
): string {
  const max = aggregations.some(({ name }) => name === 'max')
  const ways = `Mean: the predictions for a patient's rows are averaged.${max ? ' Max: the largest probability of the positive class is used.' : ''}`
  return `${formatCount(with_several_rows)} of ${countOf(patients, 'patient')} ${with_several_rows === 1 ? 'has' : 'have'} more than one row. ${ways} ${labelText(aggregations, disagreeing, max)}${decides ? ' The threshold is the same as for rows.' : ''}`
}

const LABELS = {
  any: 'A patient is positive if any row is positive.',
  majority:
    "A patient's label is the most frequent class of the rows; ties are resolved in favor of the class that is rarer among all rows.",
  mean: "A patient's value is the mean of the rows.",
} as const

/** Rule for the label of a patient, and the number of patients whose rows have different labels. */
function labelText(aggregations: readonly Aggregation[], disagreeing: number | null, max: boolean): string {
  const [rule] = aggregations.flatMap(({ label }) => label ?? [])
  const count = `Patients whose rows have different labels: ${formatCount(disagreeing)}`
  if (rule) return `${LABELS[rule]} ${count}.`
  const older = `${count}; mean excludes them${max ? ', max counts them as positive' : ''}.`
  return `${max ? 'With max, a patient is positive if any row is positive. ' : ''}${disagreeing === 0 ? '' : older}`
}

function remarks(aggregations: readonly Aggregation[]): string[] {
  const found = aggregations.flatMap(({ name, metrics }) =>
    Object.values(metrics).flatMap(({ caution }) =>
      caution ? [`The intervals of ${name} are not reliable: ${caution}.`] : [],
    ),
  )
  return [...new Set(found)]
}
