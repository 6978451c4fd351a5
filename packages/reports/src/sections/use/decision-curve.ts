import type { EvaluationResult } from '@medloom/contracts'
import { thin } from '../../charts/axes.js'
import { type Curve, decisionChart } from '../../charts/decision-curve.js'
import { type Block, numeric, paragraph, table } from '../../document/document.js'
import { countOf, DASH, formatNumber, formatUnit } from '../../document/numbers.js'

const LISTED_POINTS = 20

/** Net benefit of the model compared with treating all and treating none. `prefix` starts the name of its chart file. */
export function decisionCurveBlocks(
  { curve }: NonNullable<EvaluationResult['decision_curve']>,
  result: EvaluationResult,
  prefix: string,
): Block[] {
  if (curve === null) return []
  const positive = result.positive_class ?? ''
  return [
    { kind: 'heading', text: 'Decision curve' },
    paragraph(
      `Net benefit per case: true positives minus false positives weighted by the odds of the threshold probability (Vickers and Elkin 2006). ${whereBest(curve)}${cautionOn(curve)} Which thresholds are reasonable for "${positive}" is a clinical decision. Miscalibrated probabilities make the curve misleading.`,
    ),
    {
      kind: 'figures',
      figures: [
        {
          chart: decisionChart(curve, positive, `${prefix}decision-curve`),
          table: table(
            'Decision curve',
            [
              numeric('Threshold'),
              numeric('Model'),
              ...(curve.low ? [numeric('95% CI')] : []),
              ...[numeric('Treat all'), numeric('Treat none')],
            ],
            thin(
              curve.thresholds.map((_, index) => index),
              LISTED_POINTS,
            ).map((index) => [
              formatUnit(curve.thresholds[index]),
              formatNumber(curve.model[index]),
              ...(curve.low ? [intervalAt(curve, index)] : []),
              formatNumber(curve.treat_all[index]),
              '0',
            ]),
            [
              'A selection of points; the JSON result contains all of them.',
              ...(curve.interval ? [`CI at each threshold: ${curve.interval}.`] : []),
            ],
          ),
        },
      ],
    },
  ]
}

/** Thresholds without an interval; empty if each has one. */
function cautionOn({ thresholds, low, reliable_to, fewest_true_positives = 0 }: Curve): string {
  if (reliable_to === undefined || reliable_to === thresholds.at(-1)) return ''
  if (reliable_to !== null && low === undefined) return ''
  const where =
    reliable_to === null
      ? 'No threshold has a CI'
      : `There is no CI above a threshold of ${formatUnit(reliable_to)}`
  return ` ${where}: fewer than ${countOf(fewest_true_positives, 'patient')} with the event are predicted positive, and the net benefit is not reliable.`
}

function intervalAt({ low, high }: Curve, index: number): string {
  const bounds = [low?.[index] ?? null, high?.[index] ?? null]
  return bounds.includes(null) ? DASH : bounds.map((bound) => formatNumber(bound)).join(' to ')
}

/** Longest range of thresholds at which the model has the largest net benefit. */
function whereBest({ thresholds, model, treat_all }: Curve): string {
  const stretches: number[][] = [[]]
  for (const [index, benefit] of model.entries()) {
    if (benefit > Math.max(0, treat_all[index] ?? 0)) stretches.at(-1)?.push(index)
    else stretches.push([])
  }
  const longest = stretches.reduce((best, one) => (one.length > best.length ? one : best), [])
  if (longest.length === 0)
    return 'At no threshold does the model have a larger net benefit than both treating all and treating none.'
  const ends = [longest[0], longest.at(-1)].map((index) => formatNumber(thresholds[index ?? 0]))
  return `On these cases, the model has a larger net benefit than both treating all and treating none at thresholds from ${ends[0]} to ${ends[1]}.`
}
