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
import { countOf, DASH, formatCount, formatNumber } from '../document/numbers.js'

type Input = InputShift['inputs'][number]

/** Differences between the evaluated cases and the training cases, and the possible gain of an update; null if nothing is known. */
export function transportSection({ shift, recalibration, num_cases }: EvaluationResult): Section | null {
  const blocks: Block[] = [
    ...(shift ? shiftBlocks(shift, num_cases) : []),
    ...(recalibration ? recalibrationBlocks(recalibration) : []),
  ]
  if (blocks.length === 0) return null
  return { id: 'transport', title: 'These cases and those of the training', blocks }
}

function shiftBlocks(shift: InputShift, cases: number): Block[] {
  const { inputs, outcome, cases_trained } = shift
  const large = inputs.filter(({ differs }) => differs)
  return [
    paragraph(
      `The inputs of the ${formatCount(cases)} evaluated cases beside those of the ${formatCount(cases_trained)} training cases. The standardized difference does not depend on units; below 0.1 it is small. Few cases and many categories differ by chance alone: beside it stands what about 5 % of samples of this size exceed without any shift.`,
    ),
    ...(large.length > 0
      ? [
          {
            kind: 'notice',
            tone: 'warning',
            title: `${large.length === 1 ? 'One input differs' : `${large.length} inputs differ`} clearly from the training (above ${LARGE_SHIFT}, and beyond chance, or with no category in common).`,
            text: `${large.map(({ name }) => name).join(', ')}: where cases are unlike all that the model learned from, it extrapolates, and its performance here may not be that of other places either.`,
          } as const,
        ]
      : []),
    ...(inputs.length > 0 ? [inputTable(inputs)] : []),
    ...(outcome ? [outcomeTable(outcome)] : []),
  ]
}

function inputTable(inputs: readonly Input[]): Table {
  return table(
    'Inputs, the largest difference first',
    [
      'Input',
      numeric('Standardized difference'),
      numeric('By chance'),
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
      'Numbers: mean, and below it the standard deviation; differences are relative to the standard deviation. Categories: one size for all shares together (Yang and Dalton 2012). Bars end at 1.',
    ],
  )
}

function noteOf({ reason, unseen, missing }: Input): string {
  if (missing === 1) return 'the evaluated table has no value'
  if (reason !== null) return reason
  return unseen ? `${countOf(unseen, 'case')} with a category that training does not have` : DASH
}

function momentsCell(found: Input['trained']): Cell {
  return found === null ? DASH : { text: formatNumber(found.mean), below: `SD ${formatNumber(found.sd)}` }
}

function percent(share: number | null): string {
  return share === null ? DASH : `${(100 * share).toFixed(1)} %`
}

function outcomeTable({ smd, classes, trained, evaluated }: NonNullable<InputShift['outcome']>): Table {
  const note = [`Standardized difference ${formatNumber(smd)}.`]
  if (classes === null)
    return table(
      'The outcome',
      ['', numeric('Training'), numeric('These cases')],
      [['Mean', momentsCell(trained), momentsCell(evaluated)]],
      note,
    )
  return table(
    'Shares of the classes',
    ['Class', numeric('Training'), numeric('These cases')],
    classes.map((one): Cell[] => [one.name, percent(one.trained), percent(one.evaluated)]),
    [
      ...note,
      'PPV, NPV, AUPRC and calibration depend on the shares; AUROC, sensitivity and specificity less.',
    ],
  )
}

const UPDATE_NAMES: Record<Recalibration['updates'][number]['name'], string> = {
  intercept: 'Intercept updated',
  intercept_and_slope: 'Intercept and slope updated',
}

function recalibrationBlocks({ reason, original, updates }: Recalibration): Block[] {
  if (reason !== null)
    return [paragraph(`What an update with these cases would change is not shown: ${reason}.`)]
  const keys = Object.keys(original)
  const row = (label: string, line: readonly string[], metrics: Recalibration['original']): Cell[] => [
    label,
    ...line,
    ...keys.map((key) => formatMetric(key, metrics[key])),
  ]
  return [
    table(
      'After an update with local data (optimistic: fitted to these very cases)',
      ['Model', numeric('Intercept'), numeric('Slope'), ...keys.map((key) => numeric(metricName(key).label))],
      [
        row('As it is', [DASH, DASH], original),
        ...updates.map(({ name, intercept, slope, metrics }) =>
          row(UPDATE_NAMES[name], [formatNumber(intercept), formatNumber(slope)], metrics),
        ),
      ],
      [
        'The rows below the first say what refitting could gain at best; they are no result of this model. An update needs local cases of its own, and must be tested on others.',
      ],
    ),
  ]
}
