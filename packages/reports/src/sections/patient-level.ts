import type { EvaluationResult } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, table } from '../document/document.js'
import { metricName } from '../document/metric-names.js'
import { formatCount } from '../document/numbers.js'
import { withInterval } from './interval-cells.js'

type PatientLevel = NonNullable<EvaluationResult['patient_level']>
type Aggregation = PatientLevel['aggregations'][number]

/** Metrics per row next to metrics per patient; empty if every patient has one row. */
export function patientBlocks(result: EvaluationResult): Block[] {
  const { patient_level } = result
  const measured = patient_level?.aggregations.filter(({ reason }) => reason === null) ?? []
  if (!patient_level || measured.length === 0) return []
  const keys = [...new Set(measured.flatMap(({ metrics }) => Object.keys(metrics)))]
  return [
    { kind: 'heading', text: 'By patient' },
    paragraph(introduction(patient_level, result.threshold !== null)),
    table(
      `Rows and patients, ${result.split} split: estimate, and below it the 95 % interval`,
      [
        'Metric',
        numeric(`${formatCount(result.num_cases)} rows`),
        ...measured.map(({ name, patients }) => numeric(`${formatCount(patients)} patients, ${name}`)),
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
  const ways = `Mean: the predictions of the rows of a patient are averaged.${max ? ' Max: the largest probability of the positive class counts.' : ''}`
  return `${formatCount(with_several_rows)} of ${formatCount(patients)} patients have several rows. ${ways} ${labelText(aggregations, disagreeing, max)}${decides ? ' The threshold is that of the rows.' : ''}`
}

const LABELS = {
  any: 'A patient is positive when any row is.',
  majority:
    'The label of a patient is the most frequent class of its rows; of equally frequent classes it is the one that is rarer among all rows.',
  mean: 'The value of a patient is the mean of its rows.',
} as const

/** Rule for the label of a patient, and the number of patients whose rows have different labels. */
function labelText(aggregations: readonly Aggregation[], disagreeing: number | null, max: boolean): string {
  const [rule] = aggregations.flatMap(({ label }) => label ?? [])
  const count = `Patients whose rows have different labels: ${formatCount(disagreeing)}`
  if (rule) return `${LABELS[rule]} ${count}.`
  const older = `${count}; mean leaves them out${max ? ', max counts them as positive' : ''}.`
  return `${max ? 'With max, a patient is positive when any row is. ' : ''}${disagreeing === 0 ? '' : older}`
}

function remarks(aggregations: readonly Aggregation[]): string[] {
  const found = aggregations.flatMap(({ name, metrics }) =>
    Object.values(metrics).flatMap(({ caution }) =>
      caution ? [`Intervals of ${name} are not reliable: ${caution}.`] : [],
    ),
  )
  return [...new Set(found)]
}
