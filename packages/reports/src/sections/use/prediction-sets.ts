import type { EvaluationResult } from '@medloom/contracts'
import { type Block, type Cell, type Fact, numeric, paragraph, table } from '../../document/document.js'
import { formatCount, formatNumber, formatShare, formatUnit } from '../../document/numbers.js'
import { withInterval } from '../interval-cells.js'

type Conformal = NonNullable<EvaluationResult['conformal']>

const METHODS = {
  lac: 'sets of all classes that are probable enough (LAC; Sadinle et al. 2019)',
  aps: 'sets of the most probable classes that together are probable enough (APS; Romano et al. 2020)',
  absolute_error: 'intervals of one width around the prediction',
}

/** Coverage and size of the sets or intervals, or the reason why there are none. */
export function predictionSetBlocks(
  conformal: Conformal,
  result: EvaluationResult,
  fittedHere: boolean,
): Block[] {
  const { coverage, alpha, method, per_class } = conformal
  const heading: Block = {
    kind: 'heading',
    text: result.classes ? 'Prediction sets' : 'Prediction intervals',
  }
  if (coverage === null || alpha === null || method === null)
    return [heading, paragraph(`None are known for this model: ${conformal.reason ?? 'unknown'}.`)]
  return [
    heading,
    paragraph(
      `Split conformal prediction: ${METHODS[method]}, calibrated on the validation split so that ${formatShareOf(1 - alpha)} of new cases have the truth inside. That holds for patients like those of validation; each of them counts once, however many rows they have. The validation split also chose the epoch, which makes the promise somewhat too good.${isMissed(coverage, alpha) ? ' On these cases it is not kept, beyond chance.' : ''}${fittedHere ? ' These are the cases that it was calibrated on: the coverage below is reached by construction.' : ''}`,
    ),
    { kind: 'facts', caption: 'What they hold here', items: facts(conformal, coverage, result.num_cases) },
    ...(per_class ? [classTable(per_class)] : []),
  ]
}

function isMissed({ high }: NonNullable<Conformal['coverage']>, alpha: number): boolean {
  return high !== null && high < 1 - alpha
}

function facts(conformal: Conformal, coverage: NonNullable<Conformal['coverage']>, cases: number): Fact[] {
  const { alpha, mean_size, single, empty, width } = conformal
  const { low, high, reason, caution } = coverage
  const bounds = low === null ? (reason ?? '') : `95 % interval ${formatUnit(low)} to ${formatUnit(high)}`
  const note = [bounds, caution ? `not reliable: ${caution}` : ''].filter(Boolean).join('; ')
  return [
    {
      term: 'Coverage',
      value: formatUnit(coverage.estimate),
      note: `promised ${formatUnit(1 - (alpha ?? 0))}; ${note}`,
    },
    ...(mean_size === null ? [] : [{ term: 'Mean size of a set', value: formatNumber(mean_size) }]),
    ...(single === null ? [] : [{ term: 'Sets of one class', value: formatShare(single, cases) }]),
    ...(empty === null ? [] : [{ term: 'Empty sets', value: formatShare(empty, cases) }]),
    ...(width === null
      ? []
      : [{ term: 'Width of an interval', value: formatNumber(width), note: 'in units of the label' }]),
  ]
}

function classTable(classes: NonNullable<Conformal['per_class']>) {
  return table(
    'Coverage of each class: estimate, and below it the 95 % interval',
    ['Class', numeric('Cases'), numeric('Coverage')],
    classes.map(({ name, cases, coverage }): Cell[] => [
      name,
      formatCount(cases),
      withInterval('accuracy', coverage.estimate, coverage),
    ]),
    ['Coverage is promised over all classes together; that of a class can be lower.'],
  )
}

function formatShareOf(share: number): string {
  return `${formatNumber(100 * share)} %`
}
