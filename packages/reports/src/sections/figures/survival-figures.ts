import type { EvaluationResult } from '@medloom/contracts'
import { calibrationChart } from '../../charts/calibration.js'
import { survivalChart } from '../../charts/survival.js'
import { type Figure, numeric, type Section, table } from '../../document/document.js'
import { countOf, DASH, formatCount, formatNumber, formatUnit } from '../../document/numbers.js'

type Survival = NonNullable<EvaluationResult['survival']>

/** Curves of the groups and calibration at each horizon. */
export function survivalFigures(survival: Survival, prefix: string): Figure[] {
  return [
    {
      chart: survivalChart(survival.groups, `${prefix}survival`),
      table: table(
        'Number at risk',
        ['Group', ...survival.at_risk_times.map((time) => numeric(`at ${formatNumber(time)}`))],
        survival.groups.map(({ name, at_risk }) => [name, ...at_risk.map(formatCount)]),
      ),
    },
    ...survival.calibration.map(
      ({ horizon, bins }, index): Figure => ({
        chart: calibrationChart(
          { bins, slope: null, intercept: null },
          `Predicted risk of an event up to ${formatNumber(horizon)}`,
          `${prefix}calibration-${index + 1}`,
        ),
        table: table(
          `Calibration at ${formatNumber(horizon)}`,
          [numeric('Predicted'), numeric('Observed'), numeric('95% CI'), numeric('Cases')],
          bins.map(({ predicted, observed, low, high, count }) => [
            formatUnit(predicted),
            formatUnit(observed),
            `${formatUnit(low)} to ${formatUnit(high)}`,
            formatCount(count),
          ]),
          ['Observed: 1 minus the Kaplan-Meier estimate of the group at that time.'],
        ),
      }),
    ),
  ]
}

/** Follow-up of the cases, and the times at which survival is evaluated. */
export function followUpSection({ survival, num_cases }: EvaluationResult): Section | null {
  if (!survival) return null
  const { events, median_follow_up, tau, horizons, edges } = survival
  return {
    id: 'follow-up',
    title: 'Follow-up',
    blocks: [
      {
        kind: 'facts',
        caption: 'Times, in units of the time column',
        items: [
          { term: 'Events', value: `${formatCount(events)} of ${countOf(num_cases, 'case')}` },
          {
            term: 'Median follow-up',
            value: median_follow_up === null ? DASH : formatNumber(median_follow_up),
            note: 'reverse Kaplan-Meier',
          },
          {
            term: 'Time intervals of the model',
            value: edges.map(formatNumber).join(', '),
            note: 'interval ends',
          },
          { term: 'Horizons', value: horizons.map(formatNumber).join(', ') },
          {
            term: 'Truncation time (tau)',
            value: formatNumber(tau),
            note: "upper limit of Uno's C and the integrated Brier score",
          },
        ],
      },
    ],
  }
}
