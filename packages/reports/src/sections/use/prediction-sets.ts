import { type EvaluationResult, isCoverageMissed } from '@medloom/contracts'
import { type Block, type Cell, type Fact, numeric, paragraph, table } from '../../document/document.js'
import { formatCount, formatNumber, formatShare, formatUnit } from '../../document/numbers.js'
import { withInterval } from '../interval-cells.js'

type Conformal = NonNullable<EvaluationResult['conformal']>

const METHODS = {
  lac: 'prediction sets (LAC; Sadinle et al. 2019)',
  aps: 'prediction sets (APS; Romano et al. 2020)',
  absolute_error: 'prediction intervals of constant width (absolute error)',
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
    return [heading, paragraph(`Not available: ${conformal.reason ?? 'unknown'}.`)]
  return [
    heading,
    paragraph(
      `Split conformal prediction: ${METHODS[method]}, calibrated on the validation split to contain the true value in ${formatShareOf(1 - alpha)} of new, similar cases. Each patient counts once. The epoch was chosen on the same split, so actual coverage may be slightly below the target.${isCoverageMissed(coverage, alpha) ? ' Coverage on these cases is significantly below target.' : ''}${fittedHere ? ' These are the cases used for calibration, so the coverage is reached by construction.' : ''}`,
    ),
    {
      kind: 'facts',
      caption: 'Coverage and size on these cases',
      items: facts(conformal, coverage, result.num_cases),
    },
    ...(per_class ? [classTable(per_class)] : []),
  ]
}

function facts(conformal: Conformal, coverage: NonNullable<Conformal['coverage']>, cases: number): Fact[] {
  const { alpha, mean_size, single, empty, width } = conformal
  const { low, high, reason, caution } = coverage
  const bounds = low === null ? (reason ?? '') : `95% CI ${formatUnit(low)} to ${formatUnit(high)}`
  const note = [bounds, caution ? `not reliable: ${caution}` : ''].filter(Boolean).join('; ')
  return [
    {
      term: 'Coverage',
      value: formatUnit(coverage.estimate),
      note: `target ${formatUnit(1 - (alpha ?? 0))}; ${note}`,
    },
    ...(mean_size === null ? [] : [{ term: 'Mean set size', value: formatNumber(mean_size) }]),
    ...(single === null ? [] : [{ term: 'Sets with one class', value: formatShare(single, cases) }]),
    ...(empty === null ? [] : [{ term: 'Empty sets', value: formatShare(empty, cases) }]),
    ...(width === null
      ? []
      : [{ term: 'Interval width', value: formatNumber(width), note: 'in units of the label' }]),
  ]
}

function classTable(classes: NonNullable<Conformal['per_class']>) {
  return table(
    'Coverage per class: estimate (95% CI)',
    ['Class', numeric('Cases'), numeric('Coverage')],
    classes.map(({ name, cases, coverage }): Cell[] => [
      name,
      formatCount(cases),
      withInterval('accuracy', coverage.estimate, coverage),
    ]),
    ['The target applies to all classes together; the coverage of a single class can be lower.'],
  )
}

function formatShareOf(share: number): string {
  return `${formatNumber(100 * share)}%`
}
