import { type EvaluationResult, isOverconfident } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, table } from '../../document/document.js'
import { metricName } from '../../document/metric-names.js'
import { countOf, formatNumber } from '../../document/numbers.js'
import { withInterval } from '../interval-cells.js'

type Temperature = NonNullable<EvaluationResult['temperature']>

/** Log loss, Brier score and similar metrics with and without the temperature, or the reason. fittedHere: these are the validation cases. */
export function temperatureBlocks(temperature: Temperature, fittedHere: boolean): Block[] {
  const { value, reason, before, after } = temperature
  const heading: Block = { kind: 'heading', text: 'Temperature scaling' }
  if (before === null) return []
  if (value === null || after === null) return [heading, paragraph(`Not available: ${reason ?? 'unknown'}.`)]
  return [
    heading,
    paragraph(introduction(temperature, value)),
    ...(fittedHere
      ? [paragraph('It was fitted on these cases, so the improvement is larger here than on new cases.')]
      : []),
    table(
      'Calibration without and with temperature scaling: estimate (95% CI)',
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
  const isJudged = typeof low === 'number' && typeof high === 'number'
  const interval = isJudged ? ` (95% CI ${formatNumber(low)} to ${formatNumber(high)})` : ''
  const unjudged = isJudged
    ? ''
    : ' An older version fitted it without a confidence interval, so it may not be significantly different from 1 and may make the probabilities of new cases worse.'
  const people = patients === null ? '' : ` of ${countOf(patients, 'patient')}`
  const meaning = `the model was ${isOverconfident(value) ? 'over' : 'under'}confident on them`
  const shown = applied
    ? 'It is applied to the probabilities, threshold and metrics of this report.'
    : 'It is not applied to the probabilities, threshold and metrics of this report; to apply it, evaluate with "calibrated".'
  return `A temperature of ${formatNumber(value)}${interval} fits best on ${countOf(cases, 'validation case')}${people}: ${meaning}. Logits are divided by it (Guo et al. 2017); the ranking of the cases and the predicted classes do not change.${unjudged} ${shown}`
}
