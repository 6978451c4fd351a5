import type { EvaluationResult } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, table } from '../../document/document.js'
import { metricName } from '../../document/metric-names.js'
import { formatCount, formatNumber } from '../../document/numbers.js'
import { withInterval } from '../interval-cells.js'

type Temperature = NonNullable<EvaluationResult['temperature']>

/** Log loss, Brier score and similar metrics with and without the temperature, or the reason. fittedHere: these are the validation cases. */
export function temperatureBlocks(temperature: Temperature, fittedHere: boolean): Block[] {
  const { value, reason, before, after } = temperature
  const heading: Block = { kind: 'heading', text: 'Temperature' }
  if (before === null) return []
  if (value === null || after === null)
    return [heading, paragraph(`No temperature is used for this model: ${reason ?? 'unknown'}.`)]
  return [
    heading,
    paragraph(introduction(temperature, value)),
    ...(fittedHere
      ? [paragraph('It was fitted on these cases: the gain below is larger than on new ones.')]
      : []),
    table(
      'Calibration without and with the temperature: estimate, and below it the 95 % interval',
      ['Measure', numeric('Without'), numeric('With')],
      Object.keys(before).map((key): Cell[] => [
        metricName(key).label,
        withInterval(key, before[key]?.estimate, before[key]),
        withInterval(key, after[key]?.estimate, after[key]),
      ]),
    ),
  ]
}

function introduction({ cases, patients, applied, low, high }: Temperature, value: number): string {
  const interval =
    typeof low === 'number' && typeof high === 'number'
      ? ` (95 % interval ${formatNumber(low)} to ${formatNumber(high)})`
      : ''
  const people = patients === null ? '' : ` of ${formatCount(patients)} patients`
  const meaning = value > 1 ? 'the model was too certain' : 'the model was not certain enough'
  const shown = applied
    ? 'This report shows probabilities, threshold and metrics with it.'
    : 'This report shows probabilities, threshold and metrics without it; an evaluation with "calibrated" shows the others.'
  return `A temperature of ${formatNumber(value)}${interval} has the largest likelihood on ${formatCount(cases)} validation cases${people}: ${meaning} there. Logits are divided by it (Guo et al. 2017); the order of cases and the classes that are called do not change. ${shown}`
}
