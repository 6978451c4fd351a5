import { type EvaluationResult, type InputShift, LARGE_SHIFT, type Recalibration } from '@medloom/contracts'
import {
  type Block,
  type Cell,
  numeric,
  paragraph,
  type Section,
  type Table,
  table,
} from '../document/document.js'
import { formatMetric, metricName } from '../document/metric-names.js'
import { countOf, DASH, formatNumber } from '../document/numbers.js'

type Input = InputShift['inputs'][number]

/** Differences between the evaluated cases and the training cases, and the possible gain of an update; null if nothing is known. */
export function transportSection({ shift, recalibration, num_cases }: EvaluationResult): Section | null {
  const blocks: Block[] = [
    ...(shift ? shiftBlocks(shift, num_cases) : []),
    ...(recalibration ? recalibrationBlocks(recalibration) : []),
  ]
  if (blocks.length === 0) return null
  return { id: 'transport', title: 'Shift between training cases and these cases', blocks }
}

function shiftBlocks(shift: InputShift, cases: number): Block[] {
  const { inputs, outcome, cases_trained } = shift
  const large = inputs.filter(({ differs }) => differs)
  return [
    paragraph(
      `Inputs of the ${countOf(cases, 'evaluated case')} compared with those of the ${countOf(cases_trained, 'training case')}. The standardized mean difference (SMD) has no unit; values below 0.1 are small. The chance level is the value that about 5% of samples of this size exceed without any shift.`,
    ),
    ...(large.length > 0
      ? [
          {
            kind: 'notice',
            tone: 'warning',
            title: `Large shift in ${countOf(large.length, 'input')} (SMD above ${LARGE_SHIFT} and above the chance level, or no category in common).`,
            text: `${large.map(({ name }) => name).join(', ')}. The model extrapolates on cases that are unlike its training cases, so its performance here may not apply to other centers.`,
          } as const,
        ]
      : []),
    ...(inputs.length > 0 ? [inputTable(inputs)] : []),
    ...(outcome ? [outcomeTable(outcome)] : []),
  ]
}

function inputTable(inputs: readonly Input[]): Table {
  return table(
    'Inputs, largest difference first',
    [
      'Input',
      numeric('SMD'),
      numeric('Chance level'),
      numeric('Training'),
      numeric('These cases'),
      numeric('Missing, training'),
      numeric('Missing, these cases'),
      'Note',
    ],
    inputs.map((one): Cell[] => [
      one.name,
      { text: formatNumber(one.smd), share: Math.min(1, one.smd ?? 0) },
      formatNumber(one.chance),
      momentsCell(one.trained),
      momentsCell(one.evaluated),
      percent(one.missing_trained),
      percent(one.missing),
      noteOf(one),
    ]),
    [
      'Numbers: mean (standard deviation). Categories: one SMD for all shares together (Yang and Dalton 2012). Bars end at 1.',
    ],
  )
}

function noteOf({ reason, unseen, missing }: Input): string {
  if (missing === 1) return 'all values are missing in the evaluated table'
  if (reason !== null) return reason
  return unseen ? `${countOf(unseen, 'case')} with a category not seen in training` : DASH
}

function momentsCell(found: Input['trained']): Cell {
  return found === null ? DASH : { text: formatNumber(found.mean), below: `SD ${formatNumber(found.sd)}` }
}

function percent(share: number | null): string {
  return share === null ? DASH : `${(100 * share).toFixed(1)}%`
}

function outcomeTable({ smd, classes, trained, evaluated }: NonNullable<InputShift['outcome']>): Table {
  const note = [`Standardized mean difference ${formatNumber(smd)}.`]
  if (classes === null)
    return table(
      'Outcome',
      ['', numeric('Training'), numeric('These cases')],
      [['Mean', momentsCell(trained), momentsCell(evaluated)]],
      note,
    )
  return table(
    'Class shares',
    ['Class', numeric('Training'), numeric('These cases')],
    classes.map((one): Cell[] => [one.name, percent(one.trained), percent(one.evaluated)]),
    [
      ...note,
      'PPV, NPV, AUPRC and calibration depend on the prevalence of the classes; AUROC, sensitivity and specificity depend on it less.',
    ],
  )
}

const UPDATE_NAMES: Record<Recalibration['updates'][number]['name'], string> = {
  intercept: 'Intercept updated',
  intercept_and_slope: 'Intercept and slope updated',
}

function recalibrationBlocks({ reason, original, updates }: Recalibration): Block[] {
  if (reason !== null) return [paragraph(`Model updating with these cases is not available: ${reason}.`)]
  const keys = Object.keys(original)
  const row = (label: string, line: readonly string[], metrics: Recalibration['original']): Cell[] => [
    label,
    ...line,
    ...keys.map((key) => formatMetric(key, metrics[key])),
  ]
  return [
    table(
      'Model updating with local data (optimistic: fitted on these cases)',
      ['Model', numeric('Intercept'), numeric('Slope'), ...keys.map((key) => numeric(metricName(key).label))],
      [
        row('Original', [DASH, DASH], original),
        ...updates.map(({ name, intercept, slope, metrics }) =>
          row(UPDATE_NAMES[name], [formatNumber(intercept), formatNumber(slope)], metrics),
        ),
      ],
      [
        'The updated rows show the largest gain that refitting could achieve; they are not results of this model. A real update requires separate local cases, and a test on others.',
      ],
    ),
  ]
}
