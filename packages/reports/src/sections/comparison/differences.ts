import {
  type ComparisonResult,
  type ModelDifference,
  type ModelPair,
  PRIMARY_METRIC,
} from '@medloom/contracts'
import {
  type Block,
  type Cell,
  numeric,
  paragraph,
  type Section,
  type Table,
  table,
} from '../../document/document.js'
import { differenceInterval, formatDifference, isBounded, metricName } from '../../document/metric-names.js'
import { DASH, formatUnit } from '../../document/numbers.js'

/** Difference in every metric, pair by pair, with its interval and its test. */
export function differenceSection({ pairs, models, num_cases, task }: ComparisonResult): Section {
  const several = pairs.length > 1
  const blocks: Block[] = [
    paragraph(
      `All models were measured on the same ${num_cases} cases, so that what makes a case easy or hard is the same for all of them. The models are taken as they are: how another training of the same kind would do is not in these intervals.${
        models.length > 2
          ? ' With several pairs, the adjusted p keeps the chance of any false finding (Holm).'
          : ''
      }`,
    ),
    ...pairs.map((pair) => pairTable(pair, several, PRIMARY_METRIC[task])),
    paragraph(
      `Only ${metricName(PRIMARY_METRIC[task]).label}, the primary metric of the task, has a p value. The other metrics are secondary: estimates with intervals, some of which exclude 0 by chance.`,
    ),
  ]
  return { id: 'differences', title: 'Differences', blocks }
}

function pairTable({ first, second, differences }: ModelPair, several: boolean, primary: string): Table {
  const reach = reachOf(differences)
  const rows = Object.entries(differences).map(([key, difference]): Cell[] => [
    metricName(key).label,
    formatDifference(key, difference.estimate),
    differenceInterval(key, difference),
    forestCell(key, difference, reach),
    key === primary ? pText(difference.p) : DASH,
    ...(several ? [key === primary ? pText(difference.p_holm) : DASH] : []),
    difference.reason ?? (key === primary ? methodText(difference) : difference.method),
  ])
  return table(
    `${first} minus ${second}`,
    [
      'Metric',
      numeric('Difference'),
      numeric('95 % interval'),
      'On one scale',
      numeric('p'),
      ...(several ? [numeric('p, adjusted')] : []),
      'Method, or why there is no number',
    ],
    rows,
    [
      `The drawn scale runs from −${formatUnit(reach)} to ${formatUnit(reach)}, with no difference at the dashed line; metrics without a scale from 0 to 1 have no drawing.`,
      `Above 0 ${first} has the larger value, which is the better one except for errors and losses.`,
    ],
  )
}

/** End of a scale that contains every drawn interval. */
function reachOf(differences: ModelPair['differences']): number {
  const ends = Object.entries(differences)
    .filter(([key]) => isBounded(key))
    .flatMap(([, { estimate, low, high }]) => [estimate, low, high])
    .map((value) => Math.abs(value ?? 0))
  return Math.max(0.01, ...ends)
}

function forestCell(key: string, { estimate, low, high, reason }: ModelDifference, reach: number): Cell {
  if (!isBounded(key) || estimate === null) return { text: '', forest: null }
  const text = `${metricName(key).label} ${formatDifference(key, estimate)}${reason === null ? '' : `, ${reason}`}`
  return { text, forest: { estimate, low, high, min: -reach, max: reach } }
}

export function pText(p: number | null): string {
  if (p === null) return DASH
  return p < 0.001 ? '<0.001' : p.toFixed(3)
}

function methodText({ method, test }: ModelDifference): string {
  return method === test ? method : `${method}; p: ${test}`
}
